/** All stores as one layer, and the upkeep of rows from earlier releases at the start. */
import { Layer } from "effect"
import { SecretKey } from "../runtime/SecretKey.ts"
import { AlertStore } from "./AlertStore.ts"
import { CertificateStore } from "./CertificateStore.ts"
import { ChangeStore } from "./ChangeStore.ts"
import { ConfigStore } from "./ConfigStore.ts"
import { DeviceStore, SyncEventStore } from "./DeviceStore.ts"
import { EventStore } from "./EventStore.ts"
import { IdentityStore } from "./IdentityStore.ts"
import { InterfaceStore } from "./InterfaceStore.ts"
import { JobStore } from "./JobStore.ts"
import { OperationStore } from "./OperationStore.ts"
import { PluginCallStore } from "./PluginCallStore.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
import { WatchStore } from "./WatchStore.ts"
import { DerivedSecretStore, SecretTexts } from "./SecretStore.ts"
import { UniqueFieldStore } from "./DeviceIdentifiers.ts"
import { JobScheduleStore } from "./JobScheduling.ts"
import { NetworkStore } from "./NetworkStore.ts"

/** All stores; they need the database and the server's own key. */
export const layer = Layer.mergeAll(
  DeviceStore.layer,
  InterfaceStore.layer,
  NetworkStore.layer,
  SyncEventStore.layer,
  JobStore.layer,
  JobScheduleStore.layer,
  OperationStore.layer,
  PluginCallStore.layer,
  ConfigStore.layer.pipe(Layer.provideMerge(ChangeStore.layer)),
  IdentityStore.layer,
  RepositoryStore.layer,
  CertificateStore.layer,
  DerivedSecretStore.layer,
  EventStore.layer,
  WatchStore.layer,
  AlertStore.layer,
  UniqueFieldStore.layer
).pipe(Layer.provideMerge(SecretTexts.layer), Layer.provideMerge(SecretKey.layer))

/** Runs once at the start: checks and seals rows of earlier releases. */
export const upkeep = Layer.mergeAll(UniqueFieldStore.warnings, InterfaceStore.sealing)
