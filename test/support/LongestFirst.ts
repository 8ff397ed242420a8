/** The order of the test files: rooms whose tests wait for switches and timers come first, so that none is left to wait for at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Rooms with the longest files first; all others come after them. */
const ROOMS = ["test/scenarios/chaos/", "test/jobs/", "test/scenarios/", "test/devices/", "test/drivers/", "test/http/"]

const rank = ({ moduleId }: TestSpecification): number => {
  const found = ROOMS.findIndex((room) => moduleId.includes(`/${room}`))
  return found === -1 ? ROOMS.length : found
}

/** Within a room: by the duration of the last run, otherwise by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sort of the sequencer, not that of an array
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}
