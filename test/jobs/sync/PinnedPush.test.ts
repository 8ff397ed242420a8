/** A live run that is pinned to a dry run: what differs at the time of the push is not pushed, and says why. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import * as Lab from "./SyncLab.ts"

/** Brings templates into force that give one device a banner. */
const putBanner = Effect.fnUntraced(function* ({ repositories: { templates } }: Lab.SyncLab, hostname: string) {
  const text = yield* Effect.promise(() => fs.readFile(path.join(templates.folder, "eos/access.j2"), "utf8"))
  const banner = `{% if host == "${hostname}" %}\nbanner login\nnewer\nEOF\n{% endif %}\n`
  yield* templates.commit({ "eos/access.j2": `${text}\n${banner}` })
  yield* refresh("templates", "other")
})

it.live(
  "stops exactly the devices that a commit, a manual change or another selection concerns, and pushes the others",
  () =>
    Lab.withLab(4, (lab) =>
      Effect.gen(function* () {
        const [committed = "", altered = "", same = "", unseen = ""] = lab.names
        yield* Lab.want(lab, "two")
        const dryRun = yield* Lab.sync({ dry_run: true, hostnames: [committed, altered, same] })
        yield* putBanner(lab, committed)
        lab.switches[1]?.configure("vlan 999\n   name BY-HAND\n")
        const live = { hostnames: lab.names, dry_run_job: dryRun.id, force: true, batch_size: 2 }
        const outcomes = Lab.outcomes(yield* Lab.sync(live))
        assert.match(
          outcomes[committed] ?? "",
          /\nFenced: Another configuration is rendered .* templates \w+ has become \w+\n/
        )
        assert.notInclude(outcomes[committed] ?? "", "settings")
        assert.match(outcomes[altered] ?? "", /\nFenced: The device runs another configuration than the dry run saw\n/)
        assert.strictEqual(outcomes[same], "ok")
        assert.match(outcomes[unseen] ?? "", /\nFenced: Dry run \d+ has shown nothing of this device\n/)
        assert.deepStrictEqual(lab.switches.map(Lab.described), [
          "wanted one",
          "wanted one",
          "wanted two",
          "wanted one"
        ])
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [same])

        const again = yield* Lab.sync({ dry_run: true, force: true, hostnames: lab.names })
        const pinned = { hostnames: lab.names, dry_run_job: again.id, force: true }
        assert.deepStrictEqual(new Set(Object.values(Lab.outcomes(yield* Lab.sync(pinned)))), new Set(["ok"]))
        assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
        yield* Lab.nothingLeft(lab)
      })
    )
)
