/** The address of a question for a device, the header with a secret, and the items of an answer. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import {
  addressFor,
  hostOf,
  type HttpQuestion,
  secretHeader,
  secretParts,
  urlFault
} from "../../../src/domain/checks/HttpQuestion.ts"
import { itemsInAnswer } from "../../../src/domain/checks/OutsideItems.ts"

const DEVICE = {
  hostname: "lhv-acc1",
  management_ip: "2001:db8::5",
  device_type: "ACCESS",
  platform: "eos",
  model: "DCS-7050 SX/3",
  serial: "A&B=1"
}

const question = (more: Partial<HttpQuestion> = {}): HttpQuestion => ({
  reads: "http",
  url: "https://mon.example.org/api",
  query: {},
  path: "$",
  name: [],
  numbers: false,
  ...more
})

const addressOf = (more: Partial<HttpQuestion>, device: Partial<typeof DEVICE> = {}) =>
  Result.match(addressFor(question(more), { ...DEVICE, ...device }), {
    onFailure: (why) => why,
    onSuccess: ({ href }) => href
  })

describe("the address of a question", () => {
  it.each<[Partial<HttpQuestion>, string]>([
    [{ url: "https://mon.example.org/hosts/{{ hostname }}" }, "https://mon.example.org/hosts/lhv-acc1"],
    [{ url: "https://mon.example.org/a/{{management_ip}}?x=1" }, "https://mon.example.org/a/2001%3Adb8%3A%3A5?x=1"],
    [{ url: "https://mon.example.org/m/{{ model }}/x" }, "https://mon.example.org/m/DCS-7050%20SX%2F3/x"],
    [
      { query: { query: 'up{instance="{{ hostname }}"} + 1 & 2' } },
      "https://mon.example.org/api?query=up%7Binstance%3D%22lhv-acc1%22%7D+%2B+1+%26+2"
    ]
  ])("has the facts of the device, encoded", (more, href) => {
    expect(addressOf(more)).toBe(href)
  })

  it.each<[Partial<typeof DEVICE>, string]>([
    [{ model: "" }, "the device has no model"],
    [{ model: 'x"} or up{a="' }, "the model of the device has characters that are not sent"],
    [{ model: ".." }, "the model of the device has characters that are not sent"],
    [{ model: "a\nb" }, "the model of the device has characters that are not sent"]
  ])("is not made from a fact that is missing or could change the question", (device, why) => {
    expect(addressOf({ url: "https://mon.example.org/m/{{ model }}" }, device)).toBe(why)
  })

  it.each([
    "mon.example.org/api",
    "ftp://mon.example.org/api",
    "https://{{ hostname }}.example.org/",
    "https://mon.example.org:{{ model }}/",
    "https://user:pass@mon.example.org/",
    "https://mon.example.org/#x",
    "https://mon.example.org/{{ password }}",
    "https://mon.example.org/{{ hostname"
  ])("%s is refused", (url) => {
    expect(urlFault(url)).not.toBeNull()
  })

  it("is allowed by its whole origin", () => {
    const hosts = [{ origin: "https://mon.example.org", secret: "MON" }]
    const known = (url: string) => hostOf(hosts, url) !== undefined
    expect(["https://mon.example.org/x", "https://MON.example.org:443/", "http://mon.example.org/"].map(known)).toEqual(
      [true, true, false]
    )
    expect(["https://mon.example.org:8443/", "https://mon.example.org.evil.net/", "https://x/"].map(known)).toEqual([
      false,
      false,
      false
    ])
  })
})

describe("the secret of a host", () => {
  it("is a token, a whole Authorization, or a header of its own", () => {
    expect(["abc", "Basic eHg=", "X-Auth-Token: t1"].map(secretHeader)).toEqual([
      { name: "Authorization", value: "Bearer abc" },
      { name: "Authorization", value: "Basic eHg=" },
      { name: "X-Auth-Token", value: "t1" }
    ])
    expect(["", "a\nb", "ü"].map(secretHeader)).toEqual([null, null, null])
    expect(secretParts("Basic eHg=")).toContain("eHg=")
    expect(secretParts("X-Auth-Token: t1")).toContain("t1")
  })
})

const ALERTS = {
  data: [
    { labels: { alertname: "LinkDown", port: "Ethernet1" }, value: "1.5", active: true, tags: ["a"] },
    { labels: { alertname: "LinkDown", port: "Ethernet2" }, value: "NaN", active: true, tags: [] }
  ]
}

const itemsOf = (more: Partial<HttpQuestion>, answer: unknown) =>
  Result.match(itemsInAnswer(question(more), answer), { onFailure: (why) => why, onSuccess: (items) => items })

describe("the items of an answer", () => {
  it("are named by their fields, with members of members under dotted names", () => {
    const more = { path: "$.data[*]", name: ["labels.alertname", "labels.port"], numbers: true }
    expect(itemsOf(more, ALERTS)).toEqual({
      "LinkDown Ethernet1": {
        "labels.alertname": "LinkDown",
        "labels.port": "Ethernet1",
        value: 1.5,
        active: true,
        tags: ["a"]
      },
      "LinkDown Ethernet2": {
        "labels.alertname": "LinkDown",
        "labels.port": "Ethernet2",
        value: "NaN",
        active: true,
        tags: []
      }
    })
  })

  it("are named by their place without a name, and a plain value is their value", () => {
    expect(itemsOf({ path: "$.data[*].value" }, ALERTS)).toEqual({
      "$.data[0].value": { value: "1.5" },
      "$.data[1].value": { value: "NaN" }
    })
    expect(itemsOf({ path: "$.n" }, { n: null })).toEqual({ "$.n": { value: null } })
  })

  it.each<[Partial<HttpQuestion>, unknown, string]>([
    [{ path: "$.data[*]", name: ["labels.alertname"] }, ALERTS, "two items are named LinkDown"],
    [{ path: "$.data[*]", name: ["labels.nam"] }, ALERTS, "$.data[0] has no name in labels.nam"],
    [{ path: "$.data" }, ALERTS, "$.data is a list: end the path with [*]"],
    [{ path: "$.data[*]", name: ["n"] }, { data: [{ n: "constructor" }] }, "has no name"],
    [{ path: "$" }, { "a.b": 1, a: { b: 2 } }, "a field that cannot be told from others"],
    [{ path: "$.error" }, { status: "error" }, "$.error is missing"]
  ])("are none where they cannot be told apart or found", (more, answer, why) => {
    expect(itemsOf(more, answer)).toContain(why)
  })
})
