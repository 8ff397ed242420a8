/**
 * The runtime under jobs and device actors: durable messages, timers and the division of work among replicas. One process alone
 * opens no port; with CLUSTER_HOST set, replicas find each other in the database. How soon one takes over from another is in
 * `domain/TakeOver.ts`.
 */
import { Duration, Effect, Layer, Option } from "effect"
import {
  ClusterWorkflowEngine,
  RunnerAddress,
  ShardingConfig,
  SingleRunner,
  SqlMessageStorage,
  SqlRunnerStorage
} from "effect/cluster"
import { HEARTBEAT, LOOK_FOR_MESSAGES, LOOK_FOR_REPLICAS, SILENT_REPLICA } from "../../domain/TakeOver.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import * as DatabaseClient from "../../store/DatabaseClient.ts"
import * as ClusterSocket from "./ClusterSocket.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"

const shared = {
  shardLockExpiration: Duration.seconds(SILENT_REPLICA),
  shardLockRefreshInterval: Duration.seconds(HEARTBEAT),
  refreshAssignmentsInterval: Duration.seconds(LOOK_FOR_REPLICAS),
  runnerHealthCheckInterval: Duration.seconds(HEARTBEAT),
  entityMessagePollInterval: Duration.seconds(LOOK_FOR_MESSAGES),
  entityReplyPollInterval: "100 millis",
  // what a switch has not answered by then is left for the next process, which looks at the switch
  entityTerminationTimeout: "3 seconds",
  maxResidentEntities: "unbounded",
  simulateRemoteSerialization: false
} as const

/** One process alone has every shard for good; looking for others would only warn, while it stops, that it finds none. */
const alone = { ...shared, refreshAssignmentsInterval: "1 hour" } as const

/** Messages of jobs and timers: what was stored waits for the database instead of being lost. */
const messages = (shardingConfig: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  SqlMessageStorage.layer.pipe(
    Layer.provide([NodeCrypto.layerDigest, DatabaseClient.layerWaiting, ShardingConfig.layer(shardingConfig)])
  )

const single = SingleRunner.layer({ runnerStorage: "memory", shardingConfig: alone }).pipe(
  Layer.provide([NodeCrypto.layerDigest, DatabaseClient.layerWaiting])
)

const among = (host: string, port: number) => {
  const shardingConfig = { ...shared, runnerAddress: Option.some(RunnerAddress.make(host, port)) }
  return ClusterSocket.layer(shardingConfig).pipe(
    Layer.provideMerge(messages(shardingConfig)),
    // who cannot renew its shards must not wait: others take them over
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
