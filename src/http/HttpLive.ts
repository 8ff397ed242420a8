/** All routes of the HTTP API with their middleware. Needs the stores, the job engine, the ports and the server's configuration. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuditChain } from "../access/AuditChain.ts"
import { ApiTokens } from "../access/ApiTokens.ts"
import { LocalUsers } from "../access/LocalUsers.ts"
import { PageSessions } from "../access/PageSessions.ts"
import { PasswordLogin } from "../access/PasswordLogin.ts"
import { Permissions } from "../access/Permissions.ts"
import { Api } from "../api/Api.ts"
import { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import { Firmware } from "../firmware/Firmware.ts"
import { JobRequests } from "../jobs/requests/JobRequests.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { ChangeStore } from "../store/ChangeStore.ts"
import { ApiTokenStore } from "../store/ApiTokenStore.ts"
import { AuthLive } from "./auth/AuthHandlers.ts"
import { SignOnLive } from "./auth/SignOnHandlers.ts"
import { ChangesLive } from "./changes/ChangeHandlers.ts"
import { ReportsLive } from "./changes/ChangeReports.ts"
import { RepositoryCopies } from "../jobs/repositories/CheckedCommit.ts"
import { Callers } from "./core/Callers.ts"
import { ActorLive, DevicesLive } from "./devices/DeviceHandlers.ts"
import { EventsLive } from "./events/EventHandlers.ts"
import { JobsLive } from "./jobs/JobHandlers.ts"
import { OperationsLive } from "./operations/OperationHandlers.ts"
import { ProviderTokens } from "./oidc/ProviderTokens.ts"
import { ProvisioningLive } from "./provisioning/ProvisioningHandlers.ts"
import { SettingsLive } from "./settings/SettingsHandlers.ts"
import { SetupLive } from "./setup/SetupHandlers.ts"
import { SetupPage } from "./setup/SetupPage.ts"
import { ProtectionLines, ServerLive } from "./system/StatusHandlers.ts"
import { HealthLive, PluginsLive, SystemLive, WindowsLive } from "./system/SystemHandlers.ts"
import { SocketLive } from "./socket/SocketServer.ts"
import { ApiDocument, PageRoutes } from "./page/WebPages.ts"
import { AlertsLive } from "./AlertHandlers.ts"
import { AuditLive } from "./AuditHandlers.ts"
import { AuthorizationLive } from "./core/Authorization.ts"
import { AvailabilityLive } from "./core/HandlerErrors.ts"
import { VisibleUplinks } from "./core/Uplinks.ts"
import { ChecksLive } from "./CheckHandlers.ts"
import { FindLive } from "./FindHandlers.ts"
import { FirmwareLive } from "./FirmwareHandlers.ts"
import { BootFiles, ImageFiles } from "./ZtpServer.ts"
import { InterfacesLive } from "./InterfaceHandlers.ts"
import { PortFileLive } from "./PortFileHandlers.ts"
import { LinknetsLive } from "./LinknetHandlers.ts"
import { MetricsLive } from "./MetricsHandlers.ts"
import { MgmtDomainsLive } from "./MgmtDomainHandlers.ts"
import { RevocationFile } from "./operations/Certificates.ts"
import { OnboardingLive } from "./OnboardingHandlers.ts"
import { PlacesLive } from "./PlaceHandlers.ts"
import { LeasesLive } from "./LeaseHandlers.ts"
import { ForgeLive, ProposalsLive } from "./ProposalHandlers.ts"
import { RepositoryLive } from "./RepositoryHandlers.ts"
import { RequestMiddlewareLive } from "./core/RequestBodies.ts"
import { GlobalMiddleware } from "./core/GlobalMiddleware.ts"
import { SettingsModelLive } from "./settings/SettingsModelHandlers.ts"
import { PersonStore } from "../store/AccountStore.ts"
import { RequestApprovalStore } from "../store/ApprovalStore.ts"
import { CallerDevices } from "../access/CallerDevices.ts"
import { AttentionLive } from "./AttentionHandlers.ts"
import { ViewsLive } from "./ViewHandlers.ts"
import { SecretsLive } from "./settings/SecretHandlers.ts"
import { PortReadingsLive } from "./PortReadingHandlers.ts"

const Groups = Layer.mergeAll(
  DevicesLive,
  AttentionLive,
  InterfacesLive,
  PortFileLive,
  PortReadingsLive,
  LinknetsLive,
  MgmtDomainsLive,
  JobsLive,
  ProvisioningLive,
  OnboardingLive,
  PlacesLive,
  LeasesLive,
  ChangesLive,
  ReportsLive.pipe(Layer.provide([AuditChain.layer, RepositoryCopies.layer]), Layer.provide(SecretKey.layer)),
  ChecksLive,
  OperationsLive.pipe(Layer.provide(CertificateAuthority.layer)),
  ActorLive,
  FindLive,
  FirmwareLive.pipe(Layer.provide([Firmware.layer])),
  SettingsLive,
  SettingsModelLive,
  RepositoryLive,
  ProposalsLive,
  ForgeLive,
  PluginsLive,
  SystemLive,
  AuthLive,
  SetupLive,
  SecretsLive.pipe(Layer.provide(SecretKey.layer)),
  SignOnLive.pipe(Layer.provide(SecretKey.layer)),
  AuditLive.pipe(Layer.provide(AuditChain.layer), Layer.provide(SecretKey.layer)),
  EventsLive,
  WindowsLive,
  ViewsLive,
  AlertsLive,
  HealthLive,
  MetricsLive,
  ServerLive,
  SocketLive,
  ProtectionLines
).pipe(
  Layer.provide([
    AuthorizationLive,
    AvailabilityLive,
    RequestMiddlewareLive,

    JobRequests.layer
  ]),
  Layer.provide([CallerDevices.layer, ChangeStore.layer, VisibleUplinks.layer]),
  Layer.provide(Callers.layer),
  Layer.provide(ProviderTokens.layer),
  Layer.provide([PasswordLogin.layer, PageSessions.layer]),
  Layer.provide([ApiTokens.layer, LocalUsers.layer]),
  Layer.provide([PersonStore.layer, RequestApprovalStore.layer, ApiTokenStore.layer]),
  Layer.provideMerge(Permissions.layer)
)

/** The services that the page of the first start needs. */
const SettingUp = Layer.mergeAll(ApiTokens.layer, LocalUsers.layer, PersonStore.layer).pipe(
  Layer.provideMerge(Permissions.layer)
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
