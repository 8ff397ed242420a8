/** All stores as one layer, and what is checked and sealed in the rows of earlier releases at the start. */
import { Layer } from "effect"
import { ConfigHistoryStore, LearnedLineStore, ProvedConfigStore } from "./ConfigStore.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { AlertDeliveryStore, AlertMuteStore, AlertStore } from "./AlertStore.ts"
import { CertificateStore } from "./CertificateStore.ts"
import { ChangeStore } from "./ChangeStore.ts"
import { DeviceStore, HeardStore, StackMemberStore, SyncEventStore, UnseenDeviceStore } from "./DeviceStore.ts"
import { EventLog, EventStore } from "./EventStore.ts"
import { AcceptedLoginStore, HostKeyStore, IdentityStore } from "./IdentityStore.ts"
import { InterfaceStore, StationStore } from "./InterfaceStore.ts"
import { JobStore } from "./JobStore.ts"
import { OperationStore } from "./OperationStore.ts"
import { PluginCallStore } from "./PluginCallStore.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
import { WatchStore } from "./WatchStore.ts"
import { DerivedSecretStore, SecretTexts } from "./SecretStore.ts"
import { UniqueFieldStore } from "./DeviceIdentifiers.ts"
import { LeftSessionStore, LiveChangeStore } from "./UnfinishedChanges.ts"
import { JobAttemptStore, JobLockStore, JobWaitStore } from "./JobScheduling.ts"
import { JobCommitStore } from "./JobResults.ts"
import { LinknetStore, MgmtDomainStore, ReservationStore } from "./NetworkStore.ts"

/** All stores; they need the database and the server's own key. */
export const layer = Layer.mergeAll(
  DeviceStore.layer,
  InterfaceStore.layer,
  LinknetStore.layer,
  HeardStore.layer,
  MgmtDomainStore.layer,
  StackMemberStore.layer,
  ReservationStore.layer,
  SyncEventStore.layer,
  JobStore.layer,
  JobAttemptStore.layer,
  JobWaitStore.layer,
  JobLockStore.layer,
  JobCommitStore.layer,
  ChangeStore.layer,
  LiveChangeStore.layer,
  OperationStore.layer,
  PluginCallStore.layer,
  ConfigHistoryStore.layer,
  HostKeyStore.layer,
  IdentityStore.layer,
  AcceptedLoginStore.layer,
  LearnedLineStore.layer,
  RepositoryStore.layer,
  CertificateStore.layer,
  DerivedSecretStore.layer,
  EventStore.layer,
  EventLog.layer,
  WatchStore.layer,
  StationStore.layer,
  AlertStore.layer,
  AlertDeliveryStore.layer,
  AlertMuteStore.layer,
  UnseenDeviceStore.layer,
  UniqueFieldStore.layer,
  LeftSessionStore.layer,
  ProvedConfigStore.layer.pipe(Layer.provide(ChangeStore.layer))
).pipe(Layer.provideMerge(SecretTexts.layer), Layer.provideMerge(SecretKey.layer))

/** Runs once at the start, over rows that earlier releases have left. */
export const upkeep = Layer.mergeAll(UniqueFieldStore.warnings, InterfaceStore.sealing)
