/** Which file a value of several layers is from, for messages about it. */
import { assert, it } from "@effect/vitest"
import { sourceOfPath } from "../../src/settings/Layering.ts"
import { checkSettings } from "../../src/settings/SettingsCheck.ts"
import { problemRemarks } from "../../src/settings/SettingsProblem.ts"
import { snapshotWith } from "./repository.ts"

const sources = [
  { file: "global.yml", items: 2 },
  { file: "access.yml", items: 1 }
]

it.each([
  [["servers", 0, "host"], ["global.yml"], ["servers", 0, "host"]],
  [["servers", 1], ["global.yml"], ["servers", 1]],
  [["servers", 2, "host"], ["access.yml"], ["servers", 0, "host"]],
  [["servers", 3], [], ["servers", 3]],
  [
    ["vxlans", "a"],
    ["global.yml", "access.yml"],
    ["vxlans", "a"]
  ]
] as const)("the value at %j is in %j", (path, files, inFile) => {
  assert.deepEqual(sourceOfPath(sources, path), { files: [...files], path: [...inFile] })
})

it("a wrong item of a list that is combined from two files is found in its own", () => {
  const snapshot = snapshotWith(
    {
      "fabric/base_system.yml": "dns_servers:\n  - host: a\n  - host: b\n",
      "dist/base_system.yml": "dns_servers:\n  - host: c\n  - host: 5\n"
    },
    { keysToMerge: ["dns_servers"] }
  )
  const [found] = problemRemarks(checkSettings(snapshot).problems, snapshot.files)
  assert.deepInclude(found, { file: "dist/base_system.yml", line: 3, column: 11, path: "dns_servers->1->host" })
})
