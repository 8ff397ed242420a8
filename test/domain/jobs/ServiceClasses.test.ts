/** Who goes first when a place becomes free: tables of what people see, and properties of every line of jobs. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  makePlaces,
  reservedForPeople,
  type ServiceClass,
  serviceClasses,
  SHARE
} from "../../../src/domain/jobs/ServiceClasses.ts"

interface Named {
  readonly name: string
  readonly serviceClass: ServiceClass
  readonly person: string
  readonly hasBegun: boolean
}

const job = (name: string, serviceClass: ServiceClass, person = "ann", hasBegun = false): Named => ({
  name,
  serviceClass,
  person,
  hasBegun
})

/** The order in which jobs begin that wait for one place, which each of them gives back at once. */
const order = (jobs: ReadonlyArray<Named>): ReadonlyArray<Named> => {
  const places = makePlaces<Named>(1)
  for (const one of jobs) places.add(one)
  const begun: Array<Named> = []
  for (let one = places.next(); one !== undefined; one = places.next()) {
    begun.push(one)
    places.remove(one)
  }
  return begun
}
const names = (jobs: ReadonlyArray<Named>) => jobs.map(({ name }) => name)

describe("Jobs that wait for a place", () => {
  it("begin by class: people, then schedules, then upkeep", () => {
    const line = [job("drift", "upkeep", "scheduler"), job("tonight", "schedule"), job("now", "person")]
    assert.deepStrictEqual(names(order(line)), ["now", "tonight", "drift"])
  })

  it("begin at once for a person, however many scheduled ones are due", () => {
    const scheduled = Array.from({ length: 300 }, (_, number) => job(`s${number}`, "schedule", "cron"))
    assert.strictEqual(order([...scheduled, job("dry run", "person", "bob")])[0]?.name, "dry run")
  })

  it("take turns by person", () => {
    const line = [job("a1", "person"), job("a2", "person"), job("a3", "person"), job("b1", "person", "bob")]
    assert.deepStrictEqual(names(order(line)), ["a1", "b1", "a2", "a3"])
  })

  it("continue before all others after a restart has interrupted them", () => {
    assert.deepStrictEqual(names(order([job("now", "person"), job("begun", "upkeep", "scheduler", true)])), [
      "begun",
      "now"
    ])
  })

  it.each([
    [1, 0],
    [2, 1],
    [4, 1],
    [10, 2],
    [20, 4]
  ])("of %i places leave %i to people", (count, kept) => {
    assert.strictEqual(reservedForPeople(count), kept)
    const places = makePlaces<Named>(count)
    for (let number = 0; number <= count; number++) places.add(job(`u${number}`, "upkeep", "scheduler"))
    let begun = 0
    while (places.next() !== undefined) begun++
    assert.strictEqual(begun, count - kept)
    places.add(job("now", "person"))
    assert.strictEqual(places.next()?.name, kept === 0 ? undefined : "now")
  })

  it("release their place even when they are aborted before they have it", () => {
    const places = makePlaces<Named>(1)
    const [first, second, third] = [job("1", "person"), job("2", "person"), job("3", "person")]
    for (const one of [first, second, third]) places.add(one)
    assert.strictEqual(places.next(), first)
    assert.isTrue(places.remove(second))
    assert.isUndefined(places.next())
    assert.isTrue(places.remove(first))
    assert.isFalse(places.remove(first))
    assert.strictEqual(places.next(), third)
  })
})

const Line = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    serviceClass: Schema.Literals(serviceClasses),
    person: Schema.Literals(["ann", "bob", "cron"]),
    hasBegun: Schema.Literal(false)
  })
)

describe("Every line of jobs", () => {
  it.prop("is processed, each job once and those of one person and class in their order", [Line], ([line]) => {
    const begun = order(line)
    assert.strictEqual(new Set(begun).size, line.length)
    for (const one of serviceClasses) {
      for (const person of ["ann", "bob", "cron"]) {
        const own = (jobs: ReadonlyArray<Named>) =>
          jobs.filter((waiter) => waiter.serviceClass === one && waiter.person === person)
        assert.deepStrictEqual(own(begun), own(line))
      }
    }
  })

  it.prop("lets no class wait for more than its share of turns of the others", [Line], ([line]) => {
    const begun = order(line)
    for (const one of serviceClasses) {
      const turns = begun.flatMap((waiter, turn) => (waiter.serviceClass === one ? [turn] : []))
      turns.forEach((turn, place) => {
        // two lower classes may be due at the same time: the higher of them goes first
        assert.isAtMost(turn - (place === 0 ? -1 : (turns[place - 1] ?? 0)) - 1, SHARE + 1)
      })
    }
  })

  it.prop("lets no person begin twice in a class while another person waits there without a turn", [Line], ([line]) => {
    for (const one of serviceClasses) {
      const begun = order(line.filter(({ serviceClass }) => serviceClass === one))
      const people = new Set(begun.map(({ person }) => person))
      assert.strictEqual(new Set(begun.slice(0, people.size).map(({ person }) => person)).size, people.size)
    }
  })
})
