import { assert, describe, it } from "@effect/vitest"
import {
  namesMeant,
  namesOfRange,
  portFileErrorText,
  portFileOf,
  portValues,
  readPortFile
} from "../../src/domain/PortFile.ts"

const mistakes = (text: string) => readPortFile(text).errors.map(portFileErrorText)

describe("a file of ports", () => {
  it("has its columns in any order, under any of their names, with any of three separators", () => {
    for (const [separator, list] of [
      [",", '"STAFF,STUDENT"'],
      [";", '"STAFF;STUDENT"'],
      ["\t", "STAFF STUDENT"]
    ] as const) {
      const lines = [
        ["Description", "Interface", "Tagged VLANs", "hostname"],
        ["desk", "Ethernet1", list, "acc1"]
      ]
      const { errors, rows } = readPortFile(`\uFEFF${lines.map((cells) => cells.join(separator)).join("\r\n")}\r\n\r\n`)
      assert.deepEqual(errors, [])
      const [row] = rows
      assert.deepEqual([row?.switches, row?.ports], [["acc1"], ["Ethernet1"]])
      assert.deepEqual(row === undefined ? undefined : portValues(row, {}).sent, {
        configtype: "ACCESS_TAGGED",
        data: { tagged_vlan_list: ["STAFF", "STUDENT"], description: "desk" }
      })
    }
  })

  it("names every mistake by its line and column", () => {
    assert.deepEqual(mistakes(""), ["line 1: the file has no header"])
    assert.deepEqual(mistakes("switch,vlna\na,b\n"), [
      "line 1, vlna: there is no such column, did you mean vlan?",
      "line 1, port: the header does not have this column"
    ])
    assert.deepEqual(mistakes('switch,port,vlan\na,"E1,5\n'), ["line 2: a quotation mark is not closed"])
    assert.deepEqual(mistakes('switch,port,description\n\na,E1,"two\nlines"\n,E2,x\na,E3\nb,E4,x,y\n'), [
      "line 3, description: holds a line break (U+000A)",
      "line 5, switch: is empty",
      "line 6: says nothing about the port",
      "line 7: has 4 cells, and the header names 3"
    ])
  })

  it("means ranges, and a name that exists before a range", () => {
    assert.deepEqual(namesOfRange("Ethernet9-11"), ["Ethernet9", "Ethernet10", "Ethernet11"])
    assert.deepEqual(namesOfRange("Ethernet1-Ethernet2"), ["Ethernet1", "Ethernet2"])
    assert.deepEqual(namesOfRange("Ethernet[1-2]"), ["Ethernet1", "Ethernet2"])
    assert.deepEqual(namesOfRange("ge-0/0/0-1"), ["ge-0/0/0", "ge-0/0/1"])
    assert.deepEqual(namesOfRange("acc08-10"), ["acc08", "acc09", "acc10"])
    assert.deepEqual(namesOfRange("Ethernet5-4"), ["Ethernet5-4"])
    const known = new Set(["sw-1-2", "Ethernet1"])
    assert.deepEqual(
      namesMeant(["sw-1-2", "Ethernet1-2"], (name) => known.has(name)),
      {
        known: ["sw-1-2", "Ethernet1"],
        unknown: ["Ethernet2"]
      }
    )
  })

  it("takes a profile below the cells, - for nothing, and auto", () => {
    const profiles = {
      ap: { untagged_vlan: "IOT", tagged_vlan_list: ["STAFF"], enabled: true, description: "for people" }
    }
    const sent = (cells: string, head = "switch,port,profile,vlan,enabled,description,use") => {
      const { errors, rows } = readPortFile(`${head}\na,E1,${cells}\n`)
      assert.deepEqual(errors, [])
      return rows.map((row) => portValues(row, profiles))[0]
    }
    assert.deepEqual(sent("ap,,,,")?.sent, {
      configtype: "ACCESS_TAGGED",
      data: { untagged_vlan: "IOT", tagged_vlan_list: ["STAFF"], enabled: true }
    })
    assert.deepEqual(sent("ap,7,no,,")?.sent.data, { untagged_vlan: 7, tagged_vlan_list: ["STAFF"], enabled: false })
    assert.deepEqual(sent(",-,,-,")?.sent, { data: { untagged_vlan: null, description: null } })
    assert.deepEqual(sent(",auto,,,")?.sent, {
      configtype: "ACCESS_AUTO",
      data: { untagged_vlan: null, tagged_vlan_list: null }
    })
    assert.deepEqual(sent(",STAFF,,,access_tagged")?.sent.configtype, "ACCESS_TAGGED")
    assert.deepEqual(sent("pa,5000,maybe,,")?.errors.map(portFileErrorText), [
      "line 2, profile: there is no profile pa: known are ap",
      "line 2, vlan: expected a number from 1 to 4094, got: 5000",
      "line 2, enabled: expected yes or no, got: maybe"
    ])
  })

  it("reads what it writes", () => {
    const data = {
      untagged_vlan: 7,
      tagged_vlan_list: ["STAFF", 9],
      description: '=1, "a"; -',
      enabled: false,
      tags: ["poe-off", "qos"]
    }
    const port = { name: "Ethernet1", configtype: "ACCESS_TAGGED", data } as const
    const { errors, rows } = readPortFile(portFileOf([{ hostname: "acc1", port }]))
    assert.deepEqual(errors, [])
    assert.deepEqual(
      rows.map((row) => portValues(row, {}).sent),
      [{ configtype: "ACCESS_TAGGED", data }]
    )
  })
})
