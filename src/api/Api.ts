/** The whole HTTP API as data: its groups below their paths. The OpenAPI document and the routes both come from here. */
import { HttpApi, OpenApi } from "effect/http-api"
import { ActorGroup, DevicesGroup } from "./DevicesApi.ts"
import { AlertsGroup } from "./AlertsApi.ts"
import { AuditGroup, EventsGroup } from "./EventsApi.ts"
import { AuthGroup, SignOnGroup } from "./AuthApi.ts"
import { Availability } from "./Requests.ts"
import { ChangesGroup } from "./ChangesApi.ts"
import { ChecksGroup } from "./ChecksApi.ts"
import { FindGroup } from "./FindApi.ts"
import { FirmwareGroup } from "./FirmwareApi.ts"
import { InterfacesGroup } from "./InterfacesApi.ts"
import { PortFileGroup } from "./PortFileApi.ts"
import { JobsGroup } from "./JobsApi.ts"
import { LinknetsGroup, MgmtDomainsGroup } from "./FabricApi.ts"
import { HealthGroup, MetricsGroup, PluginsGroup, ServerGroup, SystemGroup } from "./SystemApi.ts"
import { OperationsGroup } from "./OperationsApi.ts"
import { LeasesGroup } from "./LeasesApi.ts"
import { OnboardingGroup } from "./OnboardingApi.ts"
import { PlacesGroup } from "./PlacesApi.ts"
import { ForgeGroup, ProposalsGroup } from "./ProposalsApi.ts"
import { ProvisioningGroup } from "./ProvisioningApi.ts"
import { ReportsGroup } from "./ReportsApi.ts"
import { RepositoryGroup } from "./RepositoryApi.ts"
import { SettingsGroup, SettingsModelGroup, WindowsGroup } from "./SettingsApi.ts"
import { SetupGroup } from "./SetupApi.ts"
import { published } from "./OpenApiDocument.ts"
import { AttentionGroup } from "./AttentionApi.ts"
import { SecretsGroup } from "./SecretsApi.ts"
import { ViewsGroup } from "./ViewsApi.ts"
import { PortReadingsGroup } from "./PortReadingsApi.ts"

/** The base path of all routes except the probes and the metrics. */
export const BASE = "/api/v1.0"

const versioned = HttpApi.make("switchyard")
  .add(
    DevicesGroup,
    AttentionGroup,
    InterfacesGroup,
    PortFileGroup,
    PortReadingsGroup,
    LinknetsGroup,
    MgmtDomainsGroup,
    JobsGroup,
    ProvisioningGroup,
    OnboardingGroup,
    PlacesGroup,
    LeasesGroup,
    ChangesGroup,
    ReportsGroup,
    ChecksGroup,
    OperationsGroup,
    ActorGroup,
    FindGroup,
    FirmwareGroup,
    SettingsGroup,
    SettingsModelGroup,
    RepositoryGroup,
    ProposalsGroup,
    ForgeGroup,
    PluginsGroup,
    AuthGroup,
    SignOnGroup,
    SetupGroup,
    SecretsGroup,
    AuditGroup,
    EventsGroup,
    WindowsGroup,
    ViewsGroup,
    AlertsGroup,
    ServerGroup,
    SystemGroup
  )
  .prefix(BASE)
  .add(HealthGroup.prefix("/api"))
  .add(MetricsGroup)
  .middleware(Availability)

/** All endpoints. */
export class Api extends versioned.annotateMerge(
  OpenApi.annotations({
    title: "Switchyard",
    version: "1.0",
    description:
      "Provisions network switches and keeps their configuration equal to the settings repository. Success is `{ status, data }`, failure is `{ status, message }`.",
    license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    servers: [{ url: "/", description: "The server that serves this document" }],
    transform: published
  })
) {}
