/** Simple implementations of what the API asks of other rooms, for tests of the API alone: fixed settings, no git, no device. */
import { Effect, Layer } from "effect"
import { bounceRefusal } from "../../src/devices/PortBounce.ts"
import { Build } from "../../src/runtime/Build.ts"
import { InitCheck, InitCheckImpossible } from "../../src/jobs/init/InitCheck.ts"
import { DeviceUnread, LiveDevices } from "../../src/devices/LiveDevices.ts"
import { Plugins, PluginsUnavailable } from "../../src/plugins/Plugins.ts"
import { PreviewFailed, Previews } from "../../src/jobs/sync/Previews.ts"
import {
  type RefreshedRepository,
  Repositories,
  RepositoryBusy,
  RepositoryFailed,
  RepositoryInvalid
} from "../../src/jobs/repositories/Repositories.ts"
import {
  SettingsUnavailable,
  SettingsView,
  UnknownGroup,
  UnknownSettingsFile
} from "../../src/settings/SettingsView.ts"
import { Readiness } from "../../src/jobs/engine/Readiness.ts"
import * as WrittenCheck from "../../src/store/WrittenCheck.ts"
import { SqlClient } from "effect/sql"
import { DeviceStore } from "../../src/store/DeviceStore.ts"

const vxlans = { student: { vlan_name: "STUDENT", vni: 100500 }, guest: { vlan_name: "GUEST", vni: 100501 } }
const underlay = {
  mgmt_lo_net: "10.100.3.0/29",
  infra_lo_net: "10.199.0.0/29",
  infra_link_net: "10.198.0.0/24"
}
const settings = { ntp_servers: [{ host: "10.255.0.1" }], vxlans, underlay }

const groupsOf = (devices: DeviceStore["Service"]) =>
  Effect.flatMap(devices.all, (all) =>
    all.some(({ hostname }) => hostname === "nosettings")
      ? Effect.fail(new SettingsUnavailable({ message: "File data/settings/global/base_system.yml not found" }))
      : Effect.succeed([
          {
            name: "EAST_WING",
            regex: "east-",
            group_priority: 100,
            templates_branch: null,
            hostnames: all
              .map(({ hostname }) => hostname)
              .filter((name) => name.startsWith("east-"))
              .toSorted()
          },
          {
            name: "DEFAULT",
            regex: ".*",
            group_priority: 1,
            templates_branch: null,
            hostnames: all.map(({ hostname }) => hostname).toSorted()
          }
        ])
  )

/** Devices whose hostname starts with `broken` have no settings, those of `special` keep theirs to themselves; a device `nosettings` stands for a repository that is not there. */
const SettingsLayer = Layer.effect(
  SettingsView,
  Effect.map(Effect.service(DeviceStore), (devices) =>
    SettingsView.of({
      effective: (target) =>
        target._tag === "Device" && target.device.hostname.startsWith("broken")
          ? Effect.fail(new SettingsUnavailable({ message: "Directory data/settings/global not found" }))
          : Effect.succeed({ settings, settings_origin: { ntp_servers: "global", vxlans: "global" } }),
      sameUnderName: (device, hostname) =>
        hostname.startsWith("broken")
          ? Effect.fail(new SettingsUnavailable({ message: "Directory data/settings/global not found" }))
          : Effect.succeed(device.hostname.startsWith("special") === hostname.startsWith("special")),
      groups: groupsOf(devices),
      group: (name) =>
        Effect.flatMap(groupsOf(devices), (groups) =>
          Effect.mapError(
            Effect.fromNullishOr(groups.find((group) => group.name === name)),
            () => new UnknownGroup({ name })
          )
        ),
      primaryGroups: (found) =>
        Effect.succeed(found.map(({ hostname }) => (hostname.startsWith("east-") ? "EAST_WING" : "DEFAULT"))),
      model: Effect.succeed({ title: "f_root", type: "object", definitions: { f_ntp: { type: "object" } } }),
      fileModel: (file) =>
        file === "vxlans.yml"
          ? Effect.succeed({ title: "f_vxlans", type: "object", definitions: { f_vxlan: { type: "object" } } })
          : Effect.fail(new UnknownSettingsFile({ file }))
    })
  )
)

const COMMIT = "Commit cdf978245c3782ec391ffa2bda3ca540577ad36f master by Jane Doe at 2026-02-13 10:07:32+01:00\n"

/** What a refresh by this user does. */
export const refreshOutcomes: Readonly<
  Record<string, Effect.Effect<RefreshedRepository, RepositoryInvalid | RepositoryBusy | RepositoryFailed>>
> = {
  invalid: Effect.fail(new RepositoryInvalid({ message: "Syntax error in repository: bad\n" })),
  busy: Effect.fail(
    new RepositoryBusy({ message: "Another job is locking configuration of devices, try again later" })
  ),
  failed: Effect.fail(new RepositoryFailed({ message: "Error in repository: no remote" }))
}

const RepositoriesLayer = Layer.succeed(Repositories, {
  describe: (name) => Effect.succeed(name === "settings" ? COMMIT : "Repository is not yet cloned from remote"),
  refresh: (_name, user) => refreshOutcomes[user] ?? Effect.succeed({ message: COMMIT, warnings: [] }),
  problems: () => Effect.succeed({ commit: null, problems: [], warnings: [] })
})

const PreviewsLayer = Layer.succeed(Previews, {
  generate: (device) =>
    device.device_type === "UNKNOWN"
      ? Effect.fail(new PreviewFailed({ message: "device type UNKNOWN has no template" }))
      : Effect.succeed({
          generated_config: `hostname ${device.hostname}\n`,
          available_variables: { hostname: device.hostname, interfaces: [{ name: "Ethernet1", ifclass: "downlink" }] }
        })
})

const InitCheckLayer = Layer.succeed(InitCheck, {
  check: (args) =>
    args.new_hostname === "unreachable"
      ? Effect.fail(
          new InitCheckImpossible({
            status: 500,
            message: `Exception in pre_init_checks: Failed to connect to device_id ${args.device_id}`
          })
        )
      : args.device_id > 1_000_000
        ? Effect.fail(
            new InitCheckImpossible({
              status: 400,
              message: `ValueError in pre_init_checks: No device with id ${args.device_id} found`
            })
          )
        : Effect.succeed({
            linknets: [],
            linknets_compatible: true,
            neighbors_compatible: false,
            neighbors_error: "No linknets found",
            parsed_args: args,
            compatible: false
          })
})

/** A device `noplugins` stands for a plugin file that cannot be read. */
const PluginsLayer = Layer.effect(
  Plugins,
  Effect.map(Effect.service(DeviceStore), (devices) =>
    Plugins.of({
      loaded: Effect.flatMap(Effect.orDie(devices.byHostnames(["noplugins"])), (found) =>
        found.length > 0
          ? Effect.fail(new PluginsUnavailable({ message: "plugins.yml is no YAML" }))
          : Effect.succeed({
              loaded_plugins: ["filewriter"],
              plugindata: { plugins: [{ filename: "filewriter.ts", vars: { logfile: "/tmp/filewriter.log" } }] }
            })
      ),
      selftest: Effect.succeed([true])
    })
  )
)

const port = { is_up: true, is_enabled: true, description: "room 5", last_flapped: -1, mtu: 1500, mac_address: "" }
const heard = {
  parent_interface: "",
  remote_port: "Ethernet1",
  remote_port_description: "",
  remote_chassis_id: "08:00:27:00:11:22",
  remote_system_name: "dist1",
  remote_system_description: "",
  remote_system_capab: ["bridge"],
  remote_system_enable_capab: []
}

/** Devices whose hostname starts with `broken` do not answer; the others have two ports, of which Ethernet2 has no bounce. */
const answering =
  <A>(answer: A) =>
  ({ hostname }: { readonly hostname: string }) =>
    hostname.startsWith("broken")
      ? Effect.fail(
          new DeviceUnread({ type: "ConnectionException", silent: true, message: `${hostname} is not there` })
        )
      : Effect.succeed(answer)

const LiveDevicesLayer = Layer.succeed(LiveDevices, {
  runningConfig: answering("hostname sw1\ninterface Ethernet2\n   description room 5\nend\n"),
  neighbours: answering({ Ethernet48: [{ hostname: "dist1", port: "Ethernet1" }] }),
  neighbourDetails: answering({ Ethernet48: [heard] }),
  interfaces: answering({ Ethernet1: { ...port, speed: 1000 }, Ethernet2: { ...port, speed: 2500.4 } }),
  bounce: (device, ports) =>
    answering({ refused: bounceRefusal(device.hostname, ports, states), changed: !ports.includes("Ethernet2") })(device)
})
const states = { Ethernet1: { ...port, speed: 1000 }, Ethernet2: { ...port, speed: 1000 } }

/** Everything works as long as the database can be written. */
const ReadinessLayer = Layer.effect(
  Readiness,
  Effect.map(Effect.context<SqlClient.SqlClient>(), (context) =>
    Readiness.of({
      parts: [
        {
          name: "postgres",
          check: Effect.mapError(Effect.provideContext(WrittenCheck.write, context), ({ message }) => message)
        }
      ]
    })
  )
)

/** All ports. */
export const TestPorts = Layer.mergeAll(
  SettingsLayer,
  RepositoriesLayer,
  PreviewsLayer,
  InitCheckLayer,
  PluginsLayer,
  LiveDevicesLayer,
  ReadinessLayer,
  Layer.succeed(Build, { version: "0.1.0", git_version: "No git repo found" })
)
