/** Facts, ports and transceivers of Junos, from answers of single devices, virtual chassis and devices with two routing engines. */
import { describe, expect, it } from "@effect/vitest"
import { type FactAnswers, factsOf } from "../../../src/drivers/junos/Facts.ts"
import { interfacesOf, opticsOf, speedOf } from "../../../src/drivers/junos/Interfaces.ts"
import { inventory, members, reply, several, software, terse, uptime } from "./Answers.ts"

const answers = (given: Partial<FactAnswers> = {}): FactAnswers => ({
  software: reply(software("ex1")),
  inventory: reply(inventory("PD3714050496")),
  uptime: reply(uptime(3600)),
  interfaces: reply(terse("ge-0/0/10", "ge-0/0/2", "irb")),
  members: null,
  engines: null,
  ...given
})

const engines = reply(
  "<route-engine-information><route-engine><slot>0</slot><mastership-state>backup</mastership-state></route-engine><route-engine><slot>1</slot><mastership-state>master</mastership-state></route-engine></route-engine-information>"
)

describe("facts of Junos", () => {
  it("are those of a single device", () => {
    expect(factsOf(answers())).toEqual({
      hostname: "ex1",
      fqdn: "ex1",
      vendor: "Juniper",
      model: "ex4300-48p",
      serial_number: "PD3714050496",
      os_version: "21.4R3-S5.4",
      uptime: 3600,
      interface_list: ["ge-0/0/2", "ge-0/0/10", "irb"]
    })
  })

  it.each([
    [
      "a package",
      "<package-information><name>junos</name><comment>JUNOS Base OS boot [11.4R1.6]</comment></package-information>",
      "11.4R1.6"
    ],
    [
      "the package that names one",
      "<package-information><name>os-kernel</name><comment>JUNOS OS Kernel 64-bit [20160921.201501_fbsd]</comment></package-information><package-information><name>junos</name><comment>JUNOS Software Release [12.3X48-D20.4]</comment></package-information>",
      "12.3X48-D20.4"
    ],
    [
      "a package for it",
      "<package-information><name>junos-version</name><comment>Junos: 14.2R4</comment></package-information><package-information><name>junos</name><comment>JUNOS Base OS boot [14.2R4]</comment></package-information>",
      "14.2R4"
    ],
    [
      "no package, as that of a script has its own,",
      "<package-information><name>junos</name></package-information><package-information><name>jais</name><comment>AI-Scripts [6.0R2.0]</comment></package-information>",
      null
    ]
  ])("have the release that %s names where the device does not say it", (_, packages, release) => {
    expect(factsOf(answers({ software: reply(software("ex1", packages)) }))?.os_version).toBe(release)
  })

  it("of a virtual chassis are what its master says, with the serial number of its first member", () => {
    const facts = factsOf(
      answers({
        software: reply(
          several({ fpc0: software("ex1", "<junos-version>18.1R1.9</junos-version>"), fpc1: software("ex1") })
        ),
        inventory: reply(inventory("PD2222222222", "Virtual Chassis")),
        uptime: reply(several({ fpc0: uptime(10), fpc1: uptime(7200) })),
        members: reply(members([1, "PD2222222222", "Master*"], [0, "PD1111111111", "Backup"]))
      })
    )
    expect(facts).toMatchObject({
      hostname: "ex1",
      os_version: "21.4R3-S5.4",
      serial_number: "PD1111111111",
      uptime: 7200
    })
  })

  it("of two routing engines with two names are those of the one in charge, and not guessed without it", () => {
    const both = reply(several({ re0: software("core1-re0"), re1: software("core1-re1") }))
    expect(factsOf(answers({ software: both, engines }))?.hostname).toBe("core1-re1")
    const unknown = factsOf(answers({ software: both }))
    expect(unknown).toMatchObject({ hostname: null, model: "ex4300-48p" })
    expect(unknown?.remarks).toEqual([
      '"get-software-information" gives no host-name that all parts of the device share'
    ])
  })

  it("of a virtual chassis whose member in charge has no number there are those of the member that answers", () => {
    const facts = factsOf(
      answers({
        software: reply(several({ fpc0: software("ex1", "", "ex4300-24t"), localre: software("ex1") })),
        uptime: reply(several({ fpc0: uptime(10), localre: uptime(7200) })),
        members: reply(members([1, "PD2222222222", "Master*"], [0, "PD1111111111", "Linecard"]))
      })
    )
    expect(facts).toMatchObject({ model: "ex4300-48p", os_version: "21.4R3-S5.4", uptime: 7200 })
  })

  it("of members with two routing engines each are those of the member in charge", () => {
    const facts = factsOf(
      answers({
        software: reply(
          several({
            "member0-re0": software("a"),
            "member0-re1": software("b"),
            "member1-re0": software("c"),
            "member1-re1": software("d")
          })
        ),
        members: reply(members([0, "JN1", "Backup"], [1, "JN2", "Master*"]))
      })
    )
    expect(facts?.hostname).toBe("c")
  })

  it("of two chassis with a master each are not guessed", () => {
    const one =
      "<route-engine-information><route-engine><slot>0</slot><mastership-state>master</mastership-state></route-engine></route-engine-information>"
    const facts = factsOf(
      answers({
        software: reply(several({ node0: software("west"), node1: software("east") })),
        engines: reply(several({ node0: one, node1: one }))
      })
    )
    expect(facts?.hostname).toBeNull()
  })

  it("that are missing are null and named, and a serial number that is a word for none is missing", () => {
    const facts = factsOf(answers({ inventory: reply(inventory("BUILTIN")), uptime: reply("<output>none</output>") }))
    expect(facts).toMatchObject({ serial_number: null, uptime: null })
    expect(facts?.remarks).toEqual([
      '"get-chassis-inventory" gives no serial-number',
      '"get-system-uptime-information" gives no system-booted-time'
    ])
  })

  it("are none where the answer about the software says nothing of the device", () => {
    expect(factsOf(answers({ software: reply("<output>error: command is not valid</output>") }))).toBeNull()
  })

  it("have the serial number of the board where the chassis has none", () => {
    const board =
      "<chassis-module><name>Midplane</name><serial-number>ACRD2907</serial-number></chassis-module><chassis-module><name>PEM 0</name><serial-number>QCS1</serial-number></chassis-module>"
    expect(factsOf(answers({ inventory: reply(inventory("", "MX480", board)) }))?.serial_number).toBe("ACRD2907")
  })
})

const NOW = 1_700_000_000

describe("ports of Junos", () => {
  it("are shown with their state, without units, also where fields are missing", () => {
    const answer = reply(
      `<interface-information junos:style="normal"><physical-interface><name>
ge-0/0/1
</name><admin-status junos:format="Enabled">up</admin-status><oper-status>down</oper-status><description>
to room 7
</description><mtu>1514</mtu><speed>1000mbps</speed><current-physical-address>20:d8:0b:71:2e:72</current-physical-address><interface-flapped junos:seconds="2185">2018-08-13 (00:36:25 ago)</interface-flapped><input-error-list><input-errors>3</input-errors><input-drops>4</input-drops></input-error-list><output-error-list><output-errors>0</output-errors><output-drops>1</output-drops></output-error-list><logical-interface><name>ge-0/0/1.0</name></logical-interface></physical-interface><physical-interface><name>pfe-0/0/0</name><admin-status>up</admin-status><oper-status>up</oper-status><mtu>Unlimited</mtu><interface-flapped junos:seconds="0">Never</interface-flapped></physical-interface><physical-interface><name>lo0</name></physical-interface></interface-information>`
    )
    expect(interfacesOf(answer, NOW)).toEqual({
      "ge-0/0/1": {
        is_up: false,
        is_enabled: true,
        description: "to room 7",
        last_flapped: NOW - 2185,
        mtu: 1514,
        speed: 1000,
        mac_address: "20:D8:0B:71:2E:72",
        errors: { in: 3, out: 0, in_discards: 4, out_discards: 1 }
      },
      lo0: {
        is_up: null,
        is_enabled: null,
        description: "",
        last_flapped: -1,
        mtu: null,
        speed: null,
        mac_address: ""
      },
      "pfe-0/0/0": {
        is_up: true,
        is_enabled: true,
        description: "",
        last_flapped: -1,
        mtu: null,
        speed: null,
        mac_address: ""
      }
    })
    expect(interfacesOf(reply("<output/>"), NOW)).toBeNull()
  })

  it.each([
    ["1000mbps", 1000],
    ["10Gbps", 10_000],
    ["100m", 100],
    ["2.5Gbps", 2500],
    ["Auto", null],
    ["Unspecified", null]
  ])("have the speed %s", (text, speed) => {
    expect(speedOf(text)).toBe(speed)
  })
})

describe("transceivers of Junos", () => {
  const modules =
    "<chassis-module><name>FPC 0</name><chassis-sub-module><name>PIC 2</name><chassis-sub-sub-module><name>Xcvr 0</name><serial-number>MSR0YWA</serial-number><description>SFP+-10G-SR</description></chassis-sub-sub-module><chassis-sub-sub-module><name>Xcvr 3</name><serial-number>COPPER1</serial-number><description>SFP-T</description></chassis-sub-sub-module></chassis-sub-module></chassis-module>"
  const diagnostics = (inside: string) => `<optics-diagnostics>${inside}</optics-diagnostics>`
  const port = (name: string, inside: string) =>
    `<physical-interface><name>${name}</name>${diagnostics(inside)}</physical-interface>`

  it("are shown with their light, of the first lane, and without any where there is none", () => {
    const answer = reply(
      `<interface-information>${port(
        "xe-0/2/0",
        '<laser-bias-current>6.1</laser-bias-current><laser-output-power-dbm>-2.41</laser-output-power-dbm><module-temperature junos:celsius="33">33 degrees C / 91 degrees F</module-temperature><rx-signal-avg-optical-power-dbm>- Inf</rx-signal-avg-optical-power-dbm>'
      )}${port("ge-0/2/3", "<optic-diagnostics-not-available>N/A</optic-diagnostics-not-available>")}${port(
        "ge-0/0/1",
        "<optic-diagnostics-not-available>N/A</optic-diagnostics-not-available>"
      )}${port(
        "et-0/1/0",
        "<optics-diagnostics-lane-values><lane-index>0</lane-index><laser-bias-current>7.0</laser-bias-current><laser-output-power-dbm>0.5</laser-output-power-dbm><laser-rx-optical-power-dbm>-1.5</laser-rx-optical-power-dbm></optics-diagnostics-lane-values><optics-diagnostics-lane-values><lane-index>1</lane-index><laser-output-power-dbm>9</laser-output-power-dbm></optics-diagnostics-lane-values>"
      )}</interface-information>`
    )
    const none = { rx_power: null, tx_power: null, bias: null, temperature: null }
    expect(opticsOf(answer, reply(inventory("PD1", "EX4300-48P", modules)))).toEqual({
      "et-0/1/0": { media: "", serial: "", rx_power: -1.5, tx_power: 0.5, bias: 7, temperature: null },
      "ge-0/2/3": { media: "SFP-T", serial: "COPPER1", ...none },
      "xe-0/2/0": {
        media: "SFP+-10G-SR",
        serial: "MSR0YWA",
        rx_power: -40,
        tx_power: -2.41,
        bias: 6.1,
        temperature: 33
      }
    })
  })

  it.each([
    ["- Inf", -40],
    ["-Inf", -40],
    ["-1000.00", -40],
    ["-31.55", -31.55],
    ["N/A", null]
  ])("have the light %s", (shown, light) => {
    const answer = reply(
      `<interface-information>${port("xe-0/2/0", `<laser-output-power-dbm>${shown}</laser-output-power-dbm>`)}</interface-information>`
    )
    expect(opticsOf(answer, null)?.["xe-0/2/0"]?.tx_power).toBe(light)
  })
})
