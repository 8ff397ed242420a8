/**
 * The template variables of a device (docs/templates.md#variables): its settings, values that follow from its rows in the database,
 * secrets, SETTINGS_OVERRIDE and `host`, where later ones replace earlier ones. A pure function, the same for a sync, a preview and the
 * first push of provisioning, so that all three render the same configuration.
 */
import { Predicate, Result } from "effect"
import { leavingFault } from "../domain/BraceText.ts"
import type { DeviceType } from "../domain/Device.ts"
import type { StackMember } from "../domain/DeviceFields.ts"
import { isInBraces } from "../domain/platforms/Platforms.ts"
import { accessVariables, type NamedVariables } from "./AccessVariables.ts"
import { fabricVariables } from "./FabricVariables.ts"
import { secretVariables } from "./TemplateSecrets.ts"
import { type DeviceVariables, type SiteInputs, type VariableInputs, VariablesError } from "./VariableInputs.ts"

/** Settings for the server itself, which are not configured on switches: its login, the values that a port can be given, and where it is. */
const SERVER_SETTINGS: ReadonlySet<string> = new Set(["ssh", "port_profiles", "location"])

type WithType = Exclude<DeviceType, "UNKNOWN">

interface TypeVariables {
  readonly named: NamedVariables
  readonly warnings: ReadonlyArray<string>
}

const deviceTypeOf = ({ device, init }: VariableInputs): Result.Result<WithType, string> => {
  const type = init?.device_type ?? device.device_type
  return type === "UNKNOWN" ? Result.fail("Can't populate device vars for device type UNKNOWN") : Result.succeed(type)
}

const mgmtIpOf = ({ device, init }: VariableInputs): Result.Result<string, string> => {
  const ip = init === undefined ? device.management_ip : init.addresses["mgmt_ip"]
  return typeof ip === "string" && ip !== ""
    ? Result.succeed(ip)
    : Result.fail(`Could not find management IP for device ${init?.hostname ?? device.hostname}`)
}

const stackVariable = ({ hardware_id, member_no, priority }: StackMember) => ({ priority, hardware_id, member_no })

const commonVariables = ({ device, stackMembers }: VariableInputs, hostname: string): NamedVariables => [
  ["device_model", device.model],
  ["device_os_version", device.os_version],
  ["device_id", device.id],
  ["hostname", hostname],
  ["stack_members", stackMembers.map(stackVariable)]
]

const typeVariables = (
  type: WithType,
  mgmtIp: string,
  inputs: VariableInputs,
  site: SiteInputs
): Result.Result<TypeVariables, string> =>
  type === "ACCESS"
    ? Result.map(accessVariables(inputs, site, mgmtIp), (named) => ({ named, warnings: [] }))
    : fabricVariables(inputs, site, mgmtIp)

/** Variables whose text a template puts into a section as it is. */
const CONFIGURATION_TEXTS: ReadonlySet<string> = new Set(["cli_append_str", "cli_prepend_str", "config"])

/**
 * Where a text of the settings or of a port would change statements outside its own place, which the finished configuration does not
 * show any more; undefined if all stay in theirs. Only braces can be closed by a text.
 */
const leavingText = (path: string, name: string, value: unknown): string | undefined => {
  if (typeof value === "string") {
    const fault = CONFIGURATION_TEXTS.has(name) ? leavingFault(value) : undefined
    return fault && `${path}: line ${fault.lineNumber}: "${fault.word}" ${fault.rule}`
  }
  const parts: Iterable<readonly [unknown, unknown]> =
    value instanceof Map ? value : Predicate.isObjectOrArray(value) ? Object.entries(value) : []
  for (const [key, part] of parts) {
    const found = leavingText(path === "" ? String(key) : `${path}->${String(key)}`, String(key), part)
    if (found !== undefined) return found
  }
  return undefined
}

const compose = (inputs: VariableInputs, site: SiteInputs, hostname: string): Result.Result<DeviceVariables, string> =>
  Result.gen(function* () {
    const type = yield* deviceTypeOf(inputs)
    if (inputs.device.platform === null) return yield* Result.fail("Unknown platform: None")
    const mgmtIp = yield* mgmtIpOf(inputs)
    const { named, warnings } = yield* typeVariables(type, mgmtIp, inputs, site)
    const { runningConfig, settings } = inputs
    const variables = new Map<string, unknown>([
      ...Object.entries(settings).filter(([name]) => !SERVER_SETTINGS.has(name)),
      ...commonVariables(inputs, hostname),
      ...named,
      ...(runningConfig === undefined ? [] : ([["running_config", runningConfig]] as const)),
      ...secretVariables(site.secrets),
      ...Object.entries(site.override ?? {})
    ])
    // `host` is also the last in the list, where readers of generate_config look for it.
    variables.delete("host")
    variables.set("host", hostname)
    const leaving = isInBraces(inputs.device.platform) ? leavingText("", "", variables) : undefined
    if (leaving !== undefined) return yield* Result.fail(leaving)
    return { variables, warnings }
  })

/**
 * The template variables of a device, in order, with secrets in clear text: for the template engine only (see `hideSecrets`).
 * Fails with VariablesError, whose message is one of docs/templates.md#variables.
 */
export const deviceVariables = (
  inputs: VariableInputs,
  site: SiteInputs
): Result.Result<DeviceVariables, VariablesError> => {
  const hostname = inputs.init?.hostname ?? inputs.device.hostname
  return Result.mapError(compose(inputs, site, hostname), (message) => new VariablesError({ hostname, message }))
}
