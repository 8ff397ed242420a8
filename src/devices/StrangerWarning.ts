/** Says at the start which rules about strangers are not in force (docs/security.md#strangers): sites from before them go on. */
import { Effect, Layer } from "effect"
import { ServerConfig } from "../ServerConfig.ts"

const ANY_ADDRESS =
  "SECURITY: MANAGEMENT_NETWORKS is not set: the fleet's login goes to whatever address a record has. Set it to the prefixes in which devices are"
const ANY_KEY =
  "SECURITY: HOST_KEY_POLICY is first-use: a device that was not provisioned here gets the fleet's login before anybody has seen its host key. approve asks first"

/** One warning for each rule that is off. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { HOST_KEY_POLICY, MANAGEMENT_NETWORKS } = yield* ServerConfig
    if (MANAGEMENT_NETWORKS === "") yield* Effect.logWarning(ANY_ADDRESS)
    if (HOST_KEY_POLICY === "first-use") yield* Effect.logWarning(ANY_KEY)
  })
)
