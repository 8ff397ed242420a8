/** How a difference of configurations is laid out. */
import { describe, expect, it } from "vitest"
import { differenceOf, type DiffRow, diffRows, sideRows } from "../../../web/parts/diffRows.ts"

const NTP = `--- running
+++ candidate
@@ -15,6 +15,6 @@
 ntp source Loopback0
 dns domain net.lindhaven.example
-ntp server 10.20.0.1 prefer
-ntp server 10.20.0.2
+ntp server 10.22.0.1 prefer
+ntp server 10.22.0.2
 !
 vlan 140
@@ -56,3 +56,6 @@
 vlan 140
    name VOICE
+!
+vlan 160
+   name GUEST
 !
`

const brief = (row: DiffRow): string => {
  if (row.kind === "gap") return `… ${row.hidden}${row.section === "" ? "" : ` in ${row.section}`}`
  if (row.kind === "@") return row.text
  return `${row.old ?? ""}|${row.new ?? ""}|${row.kind}${row.text}`
}

describe("the rows of a diff", () => {
  it("have the numbers of both sides, and say how many lines are not shown and in which section", () => {
    expect(diffRows(NTP).map(brief)).toEqual([
      "--- running",
      "+++ candidate",
      "… 14 in dns domain net.lindhaven.example",
      "15|15| ntp source Loopback0",
      "16|16| dns domain net.lindhaven.example",
      "17||-ntp server 10.20.0.1 prefer",
      "18||-ntp server 10.20.0.2",
      "|17|+ntp server 10.22.0.1 prefer",
      "|18|+ntp server 10.22.0.2",
      "19|19| !",
      "20|20| vlan 140",
      "… 35 in vlan 140",
      "56|56| vlan 140",
      "57|57|    name VOICE",
      "|58|+!",
      "|59|+vlan 160",
      "|60|+   name GUEST",
      "58|61| !"
    ])
  })

  it("name the section of braces without them, and no closing brace", () => {
    const diff =
      "@@ -9,5 +9,5 @@\n }\n interfaces {\n     ge-0/0/1 {\n-        mtu 1500;\n+        mtu 9000;\n     }\n }"
    expect(brief(diffRows(diff)[0] ?? { kind: "@", text: "" })).toBe("… 8 in interfaces")
    expect(brief(diffRows(diff.replace(" interfaces {\n", ""))[0] ?? { kind: "@", text: "" })).toBe("… 8")
  })

  it("fold long equal parts that the diff has, three lines away from a difference", () => {
    const equal = Array.from({ length: 20 }, (_, at) => ` line ${at + 1}`)
    const rows = diffRows(["@@ -1,21 +1,21 @@", "-one", "+two", ...equal].join("\n"))
    expect(rows.map(brief)).toEqual([
      "1||-one",
      "|1|+two",
      ...[1, 2, 3].map((n) => `${n + 1}|${n + 1}| line ${n}`),
      "… 17 in line 20"
    ])
    expect(rows.at(-1)).toMatchObject({ kind: "gap", lines: { length: 17 } })
  })

  it("take removed lines that begin with dashes for lines, not for the name of a file", () => {
    expect(diffRows("@@ -1,2 +1,1 @@\n--- banner ---\n-x\n+y").map(brief)).toEqual([
      "1||--- banner ---",
      "2||-x",
      "|1|+y"
    ])
  })

  it("show a diff without numbers as it is", () => {
    expect(diffRows(" interface Ethernet1\n-   shutdown\n").map(brief)).toEqual([
      "|| interface Ethernet1",
      "||-   shutdown"
    ])
  })
})

it.each([
  ["ntp server 10.20.0.1", "ntp server 10.22.0.1", "20", "22"],
  ["vlan 140", "vlan 160", "140", "160"],
  ["   mtu 1500", "   mtu 9214", "1500", "9214"],
  ["   switchport trunk allowed vlan 10,20", "   switchport trunk allowed vlan 10,20,30", "", ",30"]
])("marks what differs between %s and %s", (one, other, before, after) => {
  const ranges = differenceOf(one, other)
  expect(ranges?.[0] && one.slice(...ranges[0])).toBe(before)
  expect(ranges?.[1] && other.slice(...ranges[1])).toBe(after)
})

it("marks nothing in lines that have little in common", () => {
  expect(differenceOf("ip routing", "snmp-server community x")).toBeNull()
})

it("stands replaced lines beside each other, and the longer side alone", () => {
  const sides = sideRows(diffRows("-a 1\n-b\n+a 2\n c\n+d")).map((row) =>
    "kind" in row ? row.kind : [row.left?.text ?? null, row.right?.text ?? null]
  )
  expect(sides).toEqual([
    ["a 1", "a 2"],
    ["b", null],
    ["c", "c"],
    [null, "d"]
  ])
})
