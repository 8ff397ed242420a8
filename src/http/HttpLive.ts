/** All routes of the HTTP API with what surrounds them. Needs the stores, the job engine, the ports and the server's configuration. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuditChain } from "../access/AuditChain.ts"
import { ApiTokens } from "../access/ApiTokens.ts"
import { AskedDevices } from "../access/AskedDevices.ts"
import { Grants } from "../access/Grants.ts"
import { LocalUsers } from "../access/LocalUsers.ts"
import { PageSessions } from "../access/PageSessions.ts"
import { PasswordLogin } from "../access/PasswordLogin.ts"
import { Permissions } from "../access/Permissions.ts"
import { Api } from "../api/Api.ts"
import { SecretSight } from "../access/SecretSight.ts"
import { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import { Firmware } from "../firmware/Firmware.ts"
import { UpgradeOrders } from "../firmware/UpgradeOrders.ts"
import { SocketBridge } from "../events/socket/SocketBridge.ts"
import { JobRequests } from "../jobs/requests/JobRequests.ts"
import { AutoPushVerdict, DryRunRisk } from "../jobs/requests/DryRun.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { SyncPause } from "../jobs/sync/SyncPlan.ts"
import { ChangeStore } from "../store/ChangeStore.ts"
import { ConfigHistoryStore } from "../store/ConfigHistoryStore.ts"
import { EventPages } from "../store/EventPages.ts"
import { FindStore } from "../store/FindStore.ts"
import { FirmwareViewStore } from "../store/FirmwareViewStore.ts"
import { FindingFacts } from "../store/FindingFacts.ts"
import { FleetFigures } from "../store/FleetFigures.ts"
import { HostKeyStore } from "../store/HostKeyStore.ts"
import { JobDiffStore } from "../store/JobDiffStore.ts"
import { LocalUserStore } from "../store/LocalUserStore.ts"
import { JobProgressStore } from "../store/JobProgressStore.ts"
import { PlaceStore } from "../store/PlaceStore.ts"
import { ApiTokenStore } from "../store/ApiTokenStore.ts"
import { RequestApprovalStore } from "../store/RequestApprovalStore.ts"
import { ServerFigures } from "../store/ServerFigures.ts"
import { PersonStore } from "../store/PersonStore.ts"
import { OverviewStore } from "../store/OverviewStore.ts"
import { SiteStore } from "../store/SiteStore.ts"
import { UnknownDeviceStore } from "../store/UnknownDeviceStore.ts"
import { ActorLive } from "./actor/ActorHandlers.ts"
import { ApiDocument } from "./ApiDocument.ts"
import { AlertsLive } from "./alerts/AlertHandlers.ts"
import { AuditLive } from "./audit/AuditHandlers.ts"
import { AuthLive } from "./auth/AuthHandlers.ts"
import { SignOnLive } from "./auth/SignOnHandlers.ts"
import { ChangesLive } from "./changes/ChangeHandlers.ts"
import { AuthorizationLive } from "./core/AuthorizationLive.ts"
import { Callers } from "./core/Callers.ts"
import { RequestsLive } from "./core/RequestsLive.ts"
import { Surroundings } from "./core/Surroundings.ts"
import { Tokens } from "./core/Tokens.ts"
import { AvailabilityLive } from "./core/Unavailable.ts"
import { DevicesLive } from "./devices/DeviceHandlers.ts"
import { EventsLive } from "./events/EventHandlers.ts"
import { FindLive } from "./find/FindHandlers.ts"
import { FirmwareLive } from "./firmware/FirmwareHandlers.ts"
import { ImageFiles } from "./firmware/ImageFiles.ts"
import { InterfacesLive } from "./interfaces/InterfaceHandlers.ts"
import { JobsLive } from "./jobs/JobHandlers.ts"
import { LinknetsLive } from "./linknets/LinknetHandlers.ts"
import { MetricsLive } from "./metrics/MetricsHandlers.ts"
import { MgmtDomainsLive } from "./mgmtdomains/MgmtDomainHandlers.ts"
import { OperationsLive } from "./operations/OperationHandlers.ts"
import { Provider } from "./oidc/Provider.ts"
import { ProviderTokens } from "./oidc/ProviderTokens.ts"
import { SignOn } from "./oidc/SignOn.ts"
import { PageRoutes } from "./page/PageRoutes.ts"
import { RevocationFile } from "./operations/RevocationFile.ts"
import { DeviceTargets } from "./provisioning/DeviceTargets.ts"
import { PlacesLive } from "./places/PlaceHandlers.ts"
import { ProvisioningLive } from "./provisioning/ProvisioningHandlers.ts"
import { RepositoryLive } from "./repository/RepositoryHandlers.ts"
import { SettingsCheck } from "./settings/SettingsCheck.ts"
import { SettingsLive, SettingsModelLive } from "./settings/SettingsHandlers.ts"
import { BootFiles } from "./ztp/BootFiles.ts"
import { SetupPage } from "./setup/SetupPage.ts"
import { ServerLive } from "./system/StatusHandlers.ts"
import { ProtectionLines } from "./system/Protection.ts"
import { HealthLive, PluginsLive, SystemLive } from "./system/SystemHandlers.ts"
import { SocketLive } from "./socket/SocketServer.ts"
import { WindowsLive } from "./windows/WindowHandlers.ts"

const Groups = Layer.mergeAll(
  DevicesLive.pipe(Layer.provide(OverviewStore.layer)),
  InterfacesLive,
  LinknetsLive,
  MgmtDomainsLive,
  JobsLive.pipe(Layer.provide([JobProgressStore.layer, JobDiffStore.layer, SyncPause.layer])),
  ProvisioningLive,
  PlacesLive.pipe(Layer.provide(PlaceStore.layer)),
  ChangesLive.pipe(Layer.provide([ConfigHistoryStore.layer, ChangeStore.layer])),
  OperationsLive.pipe(Layer.provide([HostKeyStore.layer, CertificateAuthority.layer])),
  ActorLive,
  FindLive.pipe(Layer.provide(FindStore.layer)),
  FirmwareLive.pipe(Layer.provide([Firmware.layer, UpgradeOrders.layer, FirmwareViewStore.layer])),
  SettingsLive,
  SettingsModelLive.pipe(Layer.provide(SettingsCheck.layer)),
  RepositoryLive,
  PluginsLive,
  SystemLive,
  AuthLive,
  SignOnLive,
  AuditLive.pipe(Layer.provide(AuditChain.layer), Layer.provide(SecretKey.layer)),
  EventsLive.pipe(Layer.provide(EventPages.layer)),
  WindowsLive,
  AlertsLive,
  HealthLive.pipe(Layer.provide(ServerFigures.layer)),
  MetricsLive.pipe(Layer.provide(FleetFigures.layer)),
  ServerLive.pipe(Layer.provide([FleetFigures.layer, ServerFigures.layer, FindingFacts.layer])),
  SocketLive.pipe(Layer.provide(SocketBridge.layer)),
  ProtectionLines
).pipe(
  Layer.provide([
    AuthorizationLive,
    AvailabilityLive,
    RequestsLive,
    DeviceTargets.layer,
    SiteStore.layer,
    UnknownDeviceStore.layer,
    JobRequests.layer.pipe(Layer.provide(DryRunRisk.layer), Layer.provide(AutoPushVerdict.layer)),
    SecretSight.layer
  ]),
  Layer.provide([AskedDevices.layer, ChangeStore.layer]),
  Layer.provide(SignOn.layer),
  Layer.provide(Callers.layer),
  Layer.provide(ProviderTokens.layer),
  Layer.provide(Provider.layer),
  Layer.provide([PasswordLogin.layer, PageSessions.layer]),
  Layer.provide([ApiTokens.layer, Tokens.layer, LocalUsers.layer]),
  Layer.provide([PersonStore.layer, RequestApprovalStore.layer, ApiTokenStore.layer]),
  Layer.provideMerge(Grants.layer),
  Layer.provide(Permissions.layer)
)

/** What the page of the first start works with. */
const SettingUp = Layer.mergeAll(ApiTokens.layer, LocalUsers.layer, LocalUserStore.layer).pipe(
  Layer.provideMerge(Grants.layer),
  Layer.provide(Permissions.layer)
)

/** The routes: endpoints, the API document and its page, and around them envelope, CORS and log. */
export const HttpLive = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(Groups)),
  ImageFiles,
  BootFiles,
  RevocationFile,
  ApiDocument,
  PageRoutes,
  SetupPage.pipe(Layer.provide(SettingUp)),
  Surroundings
)
