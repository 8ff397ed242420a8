/**
 * The way between replicas: TLS with a key that only they have (CLUSTER_SECRET, or what is derived of SECRET_KEY), so nobody else can
 * send a message to a device's actor or read one. Nothing else is needed: no certificate, no authority.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { RunnerHealth, Runners, ShardingConfig, SocketRunner } from "effect/cluster"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket } from "effect/socket"
import { hkdfSync } from "node:crypto"
import type * as tls from "node:tls"
import { type SealingKey, sealingKey } from "../../runtime/Sealing.ts"
import { SecretKey } from "../../runtime/SecretKey.ts"
import { ServerConfig } from "../../ServerConfig.ts"

/** Replicas have no secret in common; the message is for who starts one. */
export class NoClusterSecret extends Schema.TaggedError<NoClusterSecret>()("NoClusterSecret", {
  message: Schema.String
}) {}

const PURPOSE = "between replicas"

/** Keys in TLS 1.2 only: with 1.3 Node has no callback that knows several. Forward secrecy and authenticated encryption all the same. */
const cipher: tls.SecureContextOptions = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2"
}

const secretKeys = Effect.gen(function* () {
  const { CLUSTER_SECRET } = yield* ServerConfig
  if (Option.isSome(CLUSTER_SECRET)) {
    return [Redacted.make(Buffer.from(hkdfSync("sha256", Redacted.value(CLUSTER_SECRET.value), "", PURPOSE, 32)))]
  }
  const secret = yield* SecretKey
  if (secret.isShared) return [secret.keyFor(PURPOSE), ...secret.previousFor(PURPOSE)]
  return yield* new NoClusterSecret({
    message:
      "CLUSTER_HOST: replicas know each other by a secret. Set SECRET_KEY, or CLUSTER_SECRET, the same for all of them"
  })
})

/** The keys by which replicas know each other: the one in force, and those that it replaces. */
class ClusterKeys extends Context.Service<ClusterKeys, ReadonlyArray<SealingKey>>()(
  "switchyard/jobs/engine/ClusterKeys"
) {
  static readonly layer = Layer.effect(
    ClusterKeys,
    Effect.map(secretKeys, (keys) => keys.map(sealingKey))
  )
}

const keyNamed = (keys: ReadonlyArray<SealingKey>, name: string): Uint8Array | null => {
  const found = keys.find(({ id }) => id === name)
  return found === undefined ? null : found.key.export()
}

/** Listens where it is told to, and tells who calls the names of the keys that it knows. */
const server = Layer.unwrap(
  Effect.gen(function* () {
    const keys = yield* ClusterKeys
    const { CLUSTER_HOST, CLUSTER_LISTEN_HOST, CLUSTER_PORT } = yield* ServerConfig
    return NodeSocketServer.layerTls({
      ...cipher,
      host: Option.getOrUndefined(Option.orElse(CLUSTER_LISTEN_HOST, () => CLUSTER_HOST)),
      port: CLUSTER_PORT,
      pskIdentityHint: keys.map(({ id }) => id).join(","),
      pskCallback: (_socket, name) => keyNamed(keys, name)
    })
  })
)

/** The first of our keys that the other one knows. */
const answer =
  (keys: ReadonlyArray<SealingKey>) =>
  (hint: string | null): tls.PSKCallbackNegotation | null => {
    const known = keys.find(({ id }) => (hint ?? "").split(",").includes(id))
    return known === undefined ? null : { identity: known.id, psk: known.key.export() }
  }

const client = Layer.effect(
  Runners.RpcClientProtocol,
  Effect.gen(function* () {
    const keys = yield* ClusterKeys
    const serialization = yield* RpcSerialization.RpcSerialization
    return {
      codecFor: serialization.codecFor,
      make: ({ host, port }) =>
        Effect.gen(function* () {
          const socket = yield* NodeSocket.makeTls({
            ...cipher,
            host,
            port,
            openTimeout: "1 second",
            // there is no certificate that could have a name: who has the key is one of us
            checkServerIdentity: () => undefined,
            pskCallback: answer(keys)
          })
          return yield* RpcClient.makeProtocolSocket().pipe(
            Effect.provideService(Socket.Socket, socket),
            Effect.provideService(RpcSerialization.RpcSerialization, serialization)
          )
        })
    }
  })
)

/** Work that is divided among replicas; needs the storage of messages and replicas. */
export const layer = (shardingConfig: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  SocketRunner.layer.pipe(
    Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(client))),
    Layer.provide([server, client]),
    Layer.provide(ClusterKeys.layer),
    Layer.provide(ShardingConfig.layer(shardingConfig)),
    Layer.provide(RpcSerialization.layerSchemaBinary())
  )
