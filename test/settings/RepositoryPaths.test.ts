import { assert, describe, it } from "@effect/vitest"
import { modelFileName } from "../../src/settings/RepositoryPaths.ts"
import { refreshAnswer } from "../../src/settings/SettingsProblem.ts"
import { buildSnapshot } from "../../src/settings/SettingsSnapshot.ts"
import { failure, filesWith, memberFiles, messages, root, success } from "./repository.ts"

type Changes = Readonly<Record<string, string | null>>

const problems = (changes: Changes) => failure(buildSnapshot({ files: filesWith(changes), root }))
const accept = (changes: Changes) => success(buildSnapshot({ files: filesWith(changes), root }))

describe("the structure of a settings repository", () => {
  for (const path of ["base_system", "groups", "routing", "vxlans"].map((name) => `global/${name}.yml`)) {
    it(`needs ${path}`, () => {
      assert.deepStrictEqual(messages(problems({ [path]: null })), [`File ${root}/${path} not found`])
    })
  }

  for (const directory of ["fabric", "core", "dist", "access"]) {
    it(`needs ${directory}/base_system.yml, and the directory`, () => {
      const path = `${directory}/base_system.yml`
      assert.deepStrictEqual(messages(problems({ [path]: null })), [`Directory ${root}/${directory} not found`])
      assert.deepStrictEqual(messages(problems({ [path]: null, [`${directory}/x`]: "" })), [
        `File ${root}/${path} not found`
      ])
    })
  }

  it("needs the directories groups and devices, which may contain only a placeholder", () => {
    assert.deepStrictEqual(messages(problems({ "groups/.gitkeep": null, "devices/.gitkeep": null })), [
      `Directory ${root}/groups not found`,
      `Directory ${root}/devices not found`
    ])
  })

  it("needs files where files are expected and directories where directories are", () => {
    assert.deepStrictEqual(
      messages(
        problems({ "global/vxlans.yml": null, "global/vxlans.yml/x": "", "devices/.gitkeep": null, devices: "" })
      ),
      [`${root}/devices is not a directory`, `${root}/global/vxlans.yml is not a regular file`]
    )
  })

  it("needs three files in the directory of a device and of a defined group", () => {
    const groups = { "global/groups.yml": "groups: [{name: A, devices: []}]" }
    assert.deepStrictEqual(
      messages(problems({ ...groups, "groups/A/base_system.yml": "", "devices/sw1/routing.yml": "" })),
      [
        `File ${root}/groups/A/interfaces.yml not found`,
        `File ${root}/groups/A/routing.yml not found`,
        `File ${root}/devices/sw1/base_system.yml not found`,
        `File ${root}/devices/sw1/interfaces.yml not found`
      ]
    )
    accept({ ...groups, ...memberFiles("groups/A", {}), ...memberFiles("devices/sw1", {}) })
  })

  it("ignores directories of undefined groups and of names that no device can have", () => {
    accept({
      "groups/OTHER/x": "",
      "devices/.hidden/x": "",
      "devices/not_a_host/x": "",
      "devices/README.md": "",
      "README.md": ""
    })
  })

  it("answers a missing file with 400 and names the check", () => {
    const [problem] = problems({ "global/vxlans.yml": null })
    assert.deepStrictEqual(refreshAnswer(problem), {
      status: 400,
      message: `Repository structure is invalid (VerifyPathException): File ${root}/global/vxlans.yml not found`
    })
  })

  it("refuses a file that git could not give as text", () => {
    const refused = new Map([
      ["global/vxlans.yml", { reason: "symbolic link leads out of the repository", line: null }],
      ["global/logo.png", { reason: "not UTF-8 text", line: 1 }]
    ])
    const files = filesWith({ "global/vxlans.yml": null })
    assert.deepStrictEqual(messages(failure(buildSnapshot({ files, root, refused }))), [
      `File ${root}/global/vxlans.yml cannot be read: symbolic link leads out of the repository`
    ])
  })

  it("writes a model into a file name in one way", () => {
    assert.strictEqual(modelFileName("DCS-7050SX3-48YC8-F"), "interfaces_dcs-7050sx3-48yc8-f.yml")
    assert.strictEqual(modelFileName("  vEOS \t lab "), "interfaces_veos_lab.yml")
  })

  it("reports broken YAML in groups.yml with 500 and the place", () => {
    const [problem] = problems({ "global/groups.yml": "groups: [\n" })
    const answer = refreshAnswer(problem)
    assert.strictEqual(answer.status, 500)
    assert.match(answer.message, /^Error in repository: Could not parse global\/groups\.yml, line 2, column 1: /)
  })
})
