/** All routes of the HTTP API with their middleware. Needs the stores, the job engine, the ports and the server's configuration. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuditChain } from "../access/AuditChain.ts"
import { ApiTokens } from "../access/ApiTokens.ts"
import { AskedDevices } from "../access/AskedDevices.ts"
import { Grants, Permissions } from "../access/Permissions.ts"
import { LocalUsers } from "../access/LocalUsers.ts"
import { PageSessions } from "../access/PageSessions.ts"
import { PasswordLogin } from "../access/PasswordLogin.ts"
import { Api } from "../api/Api.ts"
import { SecretSight } from "../access/SecretSight.ts"
import { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import { Firmware } from "../firmware/Firmware.ts"
import { UpgradeOrders } from "../firmware/UpgradeOrder.ts"
import { SocketBridge } from "../events/SocketBridge.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { ChangeStore } from "../store/ChangeStore.ts"
import { ConfigHistoryStore } from "../store/ConfigStore.ts"
import { EventPages } from "../store/EventStore.ts"
import { FindStore, OverviewStore, PlaceStore } from "../store/FleetViews.ts"
import { FirmwareViewStore } from "../store/UpgradeStore.ts"
import { FindingFacts, FleetFigures, ServerFigures } from "../store/Figures.ts"
import { HostKeyStore } from "../store/IdentityStore.ts"
import { JobDiffStore, JobProgressStore } from "../store/JobResults.ts"
import { LocalUserStore, PersonStore } from "../store/AccountStore.ts"
import { ApiTokenStore } from "../store/ApiTokenStore.ts"
import { RequestApprovalStore } from "../store/ApprovalStore.ts"
import { SiteStore } from "../store/NetworkStore.ts"
import { UnknownDeviceStore } from "../store/DeviceIdentifiers.ts"
import { AuthLive } from "./auth/AuthHandlers.ts"
import { SignOnLive } from "./auth/SignOnHandlers.ts"
import { ChangesLive } from "./changes/ChangeHandlers.ts"
import { Callers } from "./core/Callers.ts"
import { ActorLive, DevicesLive } from "./devices/DeviceHandlers.ts"
import { EventsLive } from "./events/EventHandlers.ts"
import { JobsLive } from "./jobs/JobHandlers.ts"
import { OperationsLive } from "./operations/OperationHandlers.ts"
import { Provider } from "./oidc/Provider.ts"
import { ProviderTokens } from "./oidc/ProviderTokens.ts"
import { ProvisioningLive } from "./provisioning/ProvisioningHandlers.ts"
import { SettingsLive } from "./settings/SettingsHandlers.ts"
import { SetupPage } from "./setup/SetupPage.ts"
import { ProtectionLines, ServerLive } from "./system/StatusHandlers.ts"
import { HealthLive, PluginsLive, SystemLive } from "./system/SystemHandlers.ts"
import { SocketLive } from "./socket/SocketServer.ts"
import { ApiDocument, PageRoutes } from "./page/WebPages.ts"
import { AlertsLive } from "./AlertHandlers.ts"
import { AuditLive } from "./AuditHandlers.ts"
import { AuthorizationLive } from "./core/Authorization.ts"
import { AvailabilityLive } from "./core/HandlerErrors.ts"
import { FindLive } from "./FindHandlers.ts"
import { FirmwareLive } from "./FirmwareHandlers.ts"
import { BootFiles, ImageFiles } from "./ZtpServer.ts"
import { InterfacesLive } from "./InterfaceHandlers.ts"
import { LinknetsLive } from "./LinknetHandlers.ts"
import { MetricsLive } from "./MetricsHandlers.ts"
import { MgmtDomainsLive } from "./MgmtDomainHandlers.ts"
import { RevocationFile } from "./operations/Certificates.ts"
import { PlacesLive } from "./PlaceHandlers.ts"
import { RepositoryLive } from "./RepositoryHandlers.ts"
import { WindowsLive } from "./WindowHandlers.ts"
import { RequestMiddlewareLive } from "./core/RequestBodies.ts"
import { GlobalMiddleware } from "./core/GlobalMiddleware.ts"
import { SettingsModelLive } from "./settings/SettingsModelHandlers.ts"
import { JobRequests } from "../jobs/requests/JobRequests.ts"

const Groups = Layer.mergeAll(
  DevicesLive.pipe(Layer.provide(OverviewStore.layer)),
  InterfacesLive,
  LinknetsLive,
  MgmtDomainsLive,
  JobsLive.pipe(Layer.provide([JobProgressStore.layer, JobDiffStore.layer])),
  ProvisioningLive,
  PlacesLive.pipe(Layer.provide(PlaceStore.layer)),
  ChangesLive.pipe(Layer.provide([ConfigHistoryStore.layer, ChangeStore.layer])),
  OperationsLive.pipe(Layer.provide([HostKeyStore.layer, CertificateAuthority.layer])),
  ActorLive,
  FindLive.pipe(Layer.provide(FindStore.layer)),
  FirmwareLive.pipe(Layer.provide([Firmware.layer, UpgradeOrders.layer, FirmwareViewStore.layer])),
  SettingsLive,
  SettingsModelLive,
  RepositoryLive,
  PluginsLive,
  SystemLive,
  AuthLive,
  SignOnLive.pipe(Layer.provide(SecretKey.layer)),
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
    RequestMiddlewareLive,
    SiteStore.layer,
    UnknownDeviceStore.layer,
    JobRequests.layer,
    SecretSight.layer
  ]),
  Layer.provide([AskedDevices.layer, ChangeStore.layer]),
  Layer.provide(Callers.layer),
  Layer.provide(ProviderTokens.layer),
  Layer.provide(Provider.layer),
  Layer.provide([PasswordLogin.layer, PageSessions.layer]),
  Layer.provide([ApiTokens.layer, LocalUsers.layer]),
  Layer.provide([PersonStore.layer, RequestApprovalStore.layer, ApiTokenStore.layer]),
  Layer.provideMerge(Grants.layer),
  Layer.provide(Permissions.layer)
)

/** The services that the page of the first start needs. */
const SettingUp = Layer.mergeAll(ApiTokens.layer, LocalUsers.layer, LocalUserStore.layer).pipe(
  Layer.provideMerge(Grants.layer),
  Layer.provide(Permissions.layer)
)

/** The routes: endpoints, the API document, the page, and around them envelope, CORS and log. */
export const HttpLive = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(Groups)),
  ImageFiles,
  BootFiles,
  RevocationFile,
  ApiDocument,
  PageRoutes,
  SetupPage.pipe(Layer.provide(SettingUp)),
  GlobalMiddleware
)
