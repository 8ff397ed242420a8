/** The meaning of the lines of a pasted list of switches. */
import { expect, it } from "vitest"
import { linesIn } from "../../../../web/screens/new/list.ts"

const DEVICES = [
  { id: 4, hostname: "mac-948ED3000300", serial: "WTW1", ztp_mac: "948ED3000300" },
  { id: 5, hostname: "mac-948ED3000400", serial: "WTW2", ztp_mac: "948ED3000400" }
]

it.each([
  ["94:8e:d3:00:03:00, lhv-acc1", { id: 4, hostname: "lhv-acc1", type: "ACCESS", problem: undefined }],
  ["wtw2;lhv-dist1;dist", { id: 5, hostname: "lhv-dist1", type: "DIST", problem: undefined }],
  ["WTW2,lhv-dist1,Distribution", { id: 5, type: "DIST", problem: undefined }],
  ['"WTW2"\tlhv-acc2', { id: 5, hostname: "lhv-acc2" }],
  ["WTW3,lhv-acc3", { id: undefined, problem: "no discovered switch is this one" }],
  ["WTW1", { id: undefined, problem: "the name is missing" }],
  ["WTW1,lhv-acc1,PHONE", { id: undefined, problem: "PHONE is no type: access, distribution, core" }]
])("the line %j", (text, meant) => {
  expect(linesIn(text, DEVICES)).toMatchObject([meant])
})

it("a header line and empty lines are omitted, and a name counts once", () => {
  const lines = linesIn("serial,name\n\nWTW1,lhv-acc1\nWTW2,lhv-acc1\n", DEVICES)
  expect(lines.map(({ problem }) => problem)).toEqual([undefined, "the name lhv-acc1 stands twice in the list"])
})

it("a header puts the columns into any order, and its other columns are not read", () => {
  const text = "Type;Room;Name;MAC address\nDIST;E-2;lhv-dist9;94:8e:d3:00:04:00\n;;lhv-acc1;948ED3000300\n"
  expect(linesIn(text, DEVICES)).toMatchObject([
    { line: 1, id: 5, hostname: "lhv-dist9", type: "DIST", problem: undefined },
    { line: 2, id: 4, hostname: "lhv-acc1", type: "ACCESS", problem: undefined }
  ])
})

it("without a header the order is switch, name, type", () => {
  expect(linesIn("wtw1,name,DIST", DEVICES)).toMatchObject([{ id: 4, hostname: "name", type: "DIST" }])
})
