/**
 * The runtime under jobs and device actors: durable messages, timers and the division of work among replicas. One process alone
 * opens no port; with CLUSTER_HOST set, replicas find each other in the database. How soon one takes over from another is in
 * `domain/TakeOver.ts`.
 */
import { Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import {
  ClusterWorkflowEngine,
  RunnerAddress,
  RunnerHealth,
  Runners,
  ShardingConfig,
  SingleRunner,
  SocketRunner,
  SqlMessageStorage,
  SqlRunnerStorage
} from "effect/cluster"
import { ServerConfig } from "../../ServerConfig.ts"
import * as DatabaseClient from "../../store/DatabaseClient.ts"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket, SocketServer } from "effect/socket"
import { hkdfSync } from "node:crypto"
import type * as tls from "node:tls"
import { type SealingKey, sealingKey, SecretKey } from "../../runtime/SecretKey.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { addressUnavailable } from "../../runtime/ListeningAddress.ts"
import { HEARTBEAT, LOOK_FOR_MESSAGES, LOOK_FOR_REPLICAS, SILENT_REPLICA } from "../../domain/TakeOver.ts"

// The connection between replicas: TLS with a shared key (CLUSTER_SECRET, or a key derived from SECRET_KEY), so no other host can
// send a message to a device's actor or read one. It needs no certificate and no authority.

/** Replicas have no common secret; the message is for the operator who starts one. */
class NoClusterSecret extends Schema.TaggedError<NoClusterSecret>()("NoClusterSecret", {
  message: Schema.String
}) {}

const PURPOSE = "between replicas"

/** Shared keys need TLS 1.2: Node's callback for several keys does not exist in 1.3. Forward secrecy and authenticated encryption remain. */
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

/** The shared keys of replicas: the one in force, and the previous ones. */
const clusterKeys = Effect.map(secretKeys, (keys): ReadonlyArray<SealingKey> => keys.map(sealingKey))

const keyNamed = (keys: ReadonlyArray<SealingKey>, name: string): Uint8Array | null => {
  const found = keys.find(({ id }) => id === name)
  return found === undefined ? null : found.key.export()
}

const LISTENING = { host: "CLUSTER_LISTEN_HOST", port: "CLUSTER_PORT" } as const

/** Listens on the configured address, and sends each peer the names of the known keys. */
const server = Layer.unwrap(
  Effect.gen(function* () {
    const keys = yield* clusterKeys
    const { CLUSTER_HOST, CLUSTER_LISTEN_HOST, CLUSTER_PORT } = yield* ServerConfig
    const host = Option.getOrUndefined(Option.orElse(CLUSTER_LISTEN_HOST, () => CLUSTER_HOST))
    const where = { host: host ?? "all addresses", port: CLUSTER_PORT, settings: LISTENING }
    return NodeSocketServer.layerTls({
      ...cipher,
      host,
      port: CLUSTER_PORT,
      pskIdentityHint: keys.map(({ id }) => id).join(","),
      pskCallback: (_socket, name) => keyNamed(keys, name)
    }).pipe(
      Layer.catchTag("SocketServerError", (error) =>
        Layer.effect(SocketServer.SocketServer, Effect.fail(addressUnavailable(where, error)))
      )
    )
  })
)

/** The first of our keys that the peer knows. */
const answer =
  (keys: ReadonlyArray<SealingKey>) =>
  (hint: string | null): tls.PSKCallbackNegotation | null => {
    const known = keys.find(({ id }) => (hint ?? "").split(",").includes(id))
    return known === undefined ? null : { identity: known.id, psk: known.key.export() }
  }

const client = Layer.effect(
  Runners.RpcClientProtocol,
  Effect.gen(function* () {
    const keys = yield* clusterKeys
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
            // there is no certificate with a name to check: a peer with the key is a replica
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
const socketRunner = (shardingConfig: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  SocketRunner.layer.pipe(
    Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(client))),
    Layer.provide([server, client]),
    Layer.provide(ShardingConfig.layer(shardingConfig)),
    Layer.provide(RpcSerialization.layerSchemaBinary())
  )

const shared = {
  shardLockExpiration: Duration.seconds(SILENT_REPLICA),
  shardLockRefreshInterval: Duration.seconds(HEARTBEAT),
  refreshAssignmentsInterval: Duration.seconds(LOOK_FOR_REPLICAS),
  runnerHealthCheckInterval: Duration.seconds(HEARTBEAT),
  entityMessagePollInterval: Duration.seconds(LOOK_FOR_MESSAGES),
  entityReplyPollInterval: "100 millis",
  // if a switch has not answered by then, the next process observes it
  entityTerminationTimeout: "3 seconds",
  maxResidentEntities: "unbounded",
  simulateRemoteSerialization: false
} as const

/** A single process keeps every shard; a search for others would only log a warning during its stop. */
const alone = { ...shared, refreshAssignmentsInterval: "1 hour" } as const

/** Messages of jobs and timers: stored ones wait for the database instead of being lost. */
const messages = (shardingConfig: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  SqlMessageStorage.layer.pipe(
    Layer.provide([NodeCrypto.layerDigest, DatabaseClient.layerWaiting, ShardingConfig.layer(shardingConfig)])
  )

const single = SingleRunner.layer({ runnerStorage: "memory", shardingConfig: alone }).pipe(
  Layer.provide([NodeCrypto.layerDigest, DatabaseClient.layerWaiting])
)

const among = (host: string, port: number) => {
  const shardingConfig = { ...shared, runnerAddress: Option.some(RunnerAddress.make(host, port)) }
  return socketRunner(shardingConfig).pipe(
    Layer.provideMerge(messages(shardingConfig)),
    // a process that cannot renew its shards must not wait: others take them over
    Layer.provide(Layer.orDie(SqlRunnerStorage.layer).pipe(Layer.provide(ShardingConfig.layer(shardingConfig))))
  )
}

type Among = ReturnType<typeof among>
type Runner = Layer.Layer<
  Layer.Success<Among>,
  Layer.Error<typeof single> | Layer.Error<Among>,
  Layer.Services<typeof single> | Layer.Services<Among>
>

const runner = Layer.unwrap(
  Effect.map(ServerConfig, ({ CLUSTER_HOST, CLUSTER_PORT }): Runner =>
    Option.isSome(CLUSTER_HOST) ? among(CLUSTER_HOST.value, CLUSTER_PORT) : single
  )
)

/** Sharding, message storage and the workflow engine. */
export const layer = ClusterWorkflowEngine.layer.pipe(Layer.provideMerge(runner))
