/** The commit that waits for a confirmation, and ports whose VLANs get other names, on a real database. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { NO_EFFECTS } from "../../src/domain/CommitEffects.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../src/store/InterfaceStore.ts"
import { makeRefreshes, RepositoryStore } from "../../src/store/RepositoryStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { storesOn } from "../support/TestStores.ts"

const waits = (commit: string) => ({ commit, message: "too much", effects: NO_EFFECTS, by: "indy", job_id: 7 })

layer(storesOn(TestDatabase))("Waiting commits", (it) => {
  it.effect("are reported once each, and wait until any commit comes into force", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const refreshes = yield* makeRefreshes
      const repositories = yield* RepositoryStore
      const waiting = Effect.map(
        refreshes.waiting("settings"),
        Option.map(({ commit }) => commit)
      )
      const put = (name: "settings" | "templates", ref: string) =>
        repositories.put({ name, ref, url: "", commit: "c", description: "", files: {} })
      yield* refreshes.keepWaiting("settings", waits("a"))
      yield* refreshes.keepWaiting("settings", waits("a"))
      yield* refreshes.keepWaiting("settings", waits("b"))
      const told = yield* sql<{ commit: string; actor: string }>`
        select data ->> 'commit' as commit, actor from event where kind = 'repository' and action = 'waiting' order by id`
      assert.deepEqual(told, [
        { commit: "a", actor: "indy" },
        { commit: "b", actor: "indy" }
      ])
      yield* put("templates", "")
      yield* put("settings", "a-branch")
      yield* refreshes.forgetWaiting("settings", "b")
      assert.deepEqual(yield* waiting, Option.some("b"))
      yield* refreshes.forgetWaiting("settings", "another")
      assert.isTrue(Option.isNone(yield* waiting))
      yield* refreshes.keepWaiting("settings", waits("b"))
      yield* put("settings", "")
      assert.isTrue(Option.isNone(yield* waiting))
    })
  )

  it.effect("rename VLANs at ports all at once, so that two names can be exchanged, and change nothing else", () =>
    Effect.gen(function* () {
      const ports = yield* InterfaceStore
      const { id } = yield* (yield* DeviceStore).insert({
        hostname: "a1",
        state: "MANAGED",
        device_type: "ACCESS",
        platform: "eos"
      })
      const data = [
        { untagged_vlan: "A", description: "A" },
        { untagged_vlan: "B", tagged_vlan_list: ["A", 5, "C", "B", "A"] },
        { untagged_vlan: 5, tagged_vlan_list: [] },
        { tagged_vlan_list: ["C"], tags: ["A"] },
        null,
        {
          untagged_vlan: "A",
          description: "secret 0 Xk7Tq2Lw",
          tags: ["secret 0 Xk7Tq2Lv", "A"],
          tagged_vlan_list: ["A"]
        }
      ]
      for (const [index, one] of data.entries()) yield* ports.put(id, `Ethernet${index}`, "ACCESS_TAGGED", one)
      assert.deepEqual(
        (yield* ports.namingVlans([id], ["A", "5"], 100)).map(({ name }) => name),
        ["Ethernet0", "Ethernet1", "Ethernet2", "Ethernet5"]
      )
      const renamed = yield* ports.renameVlans([id], { A: "B", B: "A" })
      assert.sameMembers(
        renamed.map(({ name }) => name),
        ["Ethernet0", "Ethernet1", "Ethernet5"]
      )
      assert.deepEqual(
        (yield* ports.ofDevice(id)).map((port) => port.data),
        [
          { untagged_vlan: "B", description: "A" },
          { untagged_vlan: "A", tagged_vlan_list: ["B", 5, "C", "A", "B"] },
          ...data.slice(2, 5),
          // a port with a secret, which is sealed separately from its data
          { ...data[5], untagged_vlan: "B", tagged_vlan_list: ["B"] }
        ]
      )
    })
  )
})
