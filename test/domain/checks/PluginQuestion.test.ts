/** What a plugin answers to a check is judged before anything is done with it. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { itemsOfPlugin } from "../../../src/domain/checks/OutsideItems.ts"
import { commandsIn, pluginFault, type PluginQuestion } from "../../../src/domain/checks/PluginQuestion.ts"

const outcome = <A>(result: Result.Result<A, string>): A | string => Result.getOrElse(result, (why) => why)

describe("the commands of a plugin", () => {
  it.each<[string, unknown, unknown]>([
    ["none", null, []],
    ["an empty list", [], []],
    ["a list, each once", [" show version ", "show version", "show mlag"], ["show version", "show mlag"]],
    ["a text", "show version", "its commands are no list"],
    ["an object", { 0: "show version", length: 1 }, "its commands are no list"],
    ["a list with another thing", ["show version", 5], "a command of it is no text"],
    ["a list that is too long", Array.from({ length: 11 }, (_, n) => `show ${n}`), "its 11 commands are more than 10"]
  ])("from %s", (_name, answer, expected) => {
    expect(outcome(commandsIn(answer))).toEqual(expected)
  })
})

describe("the items of a plugin", () => {
  it("have flat fields under their names, and what is no field is left out", () => {
    const answer = [
      { name: "one", up: true, count: 3, peers: ["a", "b"], none: null, deep: { er: "x" }, list: [1] },
      { name: "two" }
    ]
    expect(outcome(itemsOfPlugin(answer))).toEqual({
      one: { name: "one", up: true, count: 3, peers: ["a", "b"], none: null, "deep.er": "x" },
      two: { name: "two" }
    })
    expect(outcome(itemsOfPlugin([]))).toEqual({})
  })

  it.each<[string, unknown, string]>([
    ["nothing", null, "its answer is no list of items"],
    ["an object", { name: "one" }, "its answer is no list of items"],
    ["true", true, "its answer is no list of items"],
    ["a list of texts", [{ name: "one" }, "two"], "item 2 is no object"],
    ["a list of lists", [["one"]], "item 1 is no object"],
    ["an item without a name", [{ label: "one" }], "item 1 has no name"],
    ["an item with an empty name", [{ name: "" }], "item 1 has no name"],
    ["an item with a number as its name", [{ name: 1 }], "item 1 has no name"],
    ["a name that every object has", [{ name: "__proto__" }], "item 1 has no name"],
    ["two items of one name", [{ name: "one" }, { name: "one" }], "two items are named one"],
    [
      "more fields than an item may have",
      [{ name: "one", ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, n])) }],
      "item 1 has more than 200 fields"
    ]
  ])("are refused as %s", (_name, answer, expected) => {
    expect(outcome(itemsOfPlugin(answer))).toBe(expected)
  })
})

it("a question needs a plugin that is listed, loaded, and has the function", () => {
  const plugins = [
    { name: "show", checks: ["lines"] },
    { name: "netbox#2", checks: [] },
    { name: "absent", checks: null }
  ]
  const fault = (plugin: string, called = "lines") => {
    const question: PluginQuestion = { reads: "plugin", plugin, function: called, with: {} }
    return pluginFault(plugins, question)
  }
  expect(fault("show")).toBeNull()
  expect(fault("show", "words")).toBe("the plugin show has no function words; it has lines")
  expect(fault("netbox#2")).toBe("the plugin netbox#2 has no function lines; it has none for checks")
  expect(fault("absent")).toBe("the plugin absent is not loaded; GET /plugins says why")
  expect(fault("other")).toBe("the plugin other is not listed in PLUGIN_FILE")
})
