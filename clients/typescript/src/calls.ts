// Made by `npm run docs` from the OpenAPI document of the server. Do not edit.

import type * as Records from "./records.js"
import { type CallOptions, pathOf, Transport } from "./transport.js"

/** The calls of the API by the names of its document. */
export abstract class Calls extends Transport {
  /** Accept proposed links. `POST /api/v1.0/onboarding/links` */
  acceptLinks(body: Records.AcceptLinksRequest = {}, options: CallOptions = {}): Promise<Records.AcceptLinksResult> {
    return this.call<Records.AcceptLinksResult>({ method: "POST", path: "/api/v1.0/onboarding/links", body }, options)
  }

  /** Accept proposed ports. `POST /api/v1.0/onboarding/ports` */
  acceptPorts(body: Records.ReadOnboardedRequest = {}, options: CallOptions = {}): Promise<Records.AcceptPortsResult> {
    return this.call<Records.AcceptPortsResult>({ method: "POST", path: "/api/v1.0/onboarding/ports", body }, options)
  }

  /** Take an alert on. `POST /api/v1.0/alerts/{id}/acknowledge` */
  acknowledgeAlert(
    id: number,
    body: Records.TrustDeviceRequest = {},
    options: CallOptions = {}
  ): Promise<Records.AcknowledgeAlertResult> {
    return this.call<Records.AcknowledgeAlertResult>(
      { method: "POST", path: pathOf("/api/v1.0/alerts/{id}/acknowledge", { id }), body },
      options
    )
  }

  /** Add a reason why a device is unsynchronized. `POST /api/v1.0/device_synchistory` */
  addSyncEvent(body: Records.AddSyncEventRequest, options: CallOptions = {}): Promise<Records.AddedSyncEvent> {
    return this.call<Records.AddedSyncEvent>({ method: "POST", path: "/api/v1.0/device_synchistory", body }, options)
  }

  /** Admit a person again. `POST /api/v1.0/auth/persons/admit` */
  admitPerson(body: Records.PersonRequest, options: CallOptions = {}): Promise<Records.AdmitPersonResult> {
    return this.call<Records.AdmitPersonResult>({ method: "POST", path: "/api/v1.0/auth/persons/admit", body }, options)
  }

  /** Push a given configuration to a device. `POST /api/v1.0/device/{hostname}/apply_config` */
  applyConfig(
    hostname: string | number,
    body: Records.ApplyConfigRequest,
    options: CallOptions = {}
  ): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: pathOf("/api/v1.0/device/{hostname}/apply_config", { hostname }), body, gives: "all" },
      options
    )
  }

  /** Approve the host key of a device. `POST /api/v1.0/device/{hostname}/hostkey/approve` */
  approveHostKey(
    hostname: string | number,
    body: Records.ApproveHostKeyRequest,
    options: CallOptions = {}
  ): Promise<Records.ApproveHostKeyResult> {
    return this.call<Records.ApproveHostKeyResult>(
      { method: "POST", path: pathOf("/api/v1.0/device/{hostname}/hostkey/approve", { hostname }), body },
      options
    )
  }

  /** Approve the host keys of several devices. `POST /api/v1.0/device_hostkeys/approve` */
  approveHostKeys(body: Records.ApproveHostKeysRequest, options: CallOptions = {}): Promise<Records.HostKeyApprovals> {
    return this.call<Records.HostKeyApprovals>(
      { method: "POST", path: "/api/v1.0/device_hostkeys/approve", body },
      options
    )
  }

  /** Approve a job. `POST /api/v1.0/job/{id}/approve` */
  approveJob(id: number, body: Records.DecisionRequest, options: CallOptions = {}): Promise<Records.ApproveJobResult> {
    return this.call<Records.ApproveJobResult>(
      { method: "POST", path: pathOf("/api/v1.0/job/{id}/approve", { id }), body },
      options
    )
  }

  /** Approve a request. `POST /api/v1.0/approvals/{id}/approve` */
  approveRequest(
    id: number,
    body: Records.DecisionRequest,
    options: CallOptions = {}
  ): Promise<Records.ApproveRequestResult> {
    return this.call<Records.ApproveRequestResult>(
      { method: "POST", path: pathOf("/api/v1.0/approvals/{id}/approve", { id }), body },
      options
    )
  }

  /** Show the job behind each line. `GET /api/v1.0/device/{hostname}/config_blame` */
  blameConfig(hostname: string | number, options: CallOptions = {}): Promise<Records.BlameConfigResult> {
    return this.call<Records.BlameConfigResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/config_blame", { hostname }) },
      options
    )
  }

  /** Show where lines come from. `GET /api/v1.0/device/{hostname}/blame` */
  blameLines(
    hostname: string | number,
    query: Records.BlameLinesQuery = {},
    options: CallOptions = {}
  ): Promise<Records.LineOrigins> {
    return this.call<Records.LineOrigins>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/blame", { hostname }), query },
      options
    )
  }

  /** Bounce ports. `PUT /api/v1.0/device/{hostname}/interface_status` */
  bounceInterfaces(
    hostname: string | number,
    body: Records.BounceInterfacesRequest,
    options: CallOptions = {}
  ): Promise<string> {
    return this.call<string>(
      { method: "PUT", path: pathOf("/api/v1.0/device/{hostname}/interface_status", { hostname }), body },
      options
    )
  }

  /** Change ports of several switches. `POST /api/v1.0/interfaces/bulk` */
  changePorts(body: Records.ChangePortsRequest, options: CallOptions = {}): Promise<Records.PortFileResult> {
    return this.call<Records.PortFileResult>({ method: "POST", path: "/api/v1.0/interfaces/bulk", body }, options)
  }

  /** Check the chain of the audit. `GET /api/v1.0/audit/chain` */
  checkAuditChain(options: CallOptions = {}): Promise<Records.AuditChain> {
    return this.call<Records.AuditChain>({ method: "GET", path: "/api/v1.0/audit/chain" }, options)
  }

  /** Check a branch before it is merged. `POST /api/v1.0/repository/{name}/check` */
  checkBranch(
    name: "settings" | "templates",
    body: Records.CheckBranchRequest = {},
    options: CallOptions = {}
  ): Promise<Records.CheckedBranch> {
    return this.call<Records.CheckedBranch>(
      { method: "POST", path: pathOf("/api/v1.0/repository/{name}/check", { name }), body },
      options
    )
  }

  /** Check whether a device could be initialised. `POST /api/v1.0/device_initcheck/{id}` */
  checkDeviceInit(
    id: number,
    body: Records.InitDeviceRequest,
    options: CallOptions = {}
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.call<Readonly<Record<string, unknown>>>(
      { method: "POST", path: pathOf("/api/v1.0/device_initcheck/{id}", { id }), body },
      options
    )
  }

  /** Check for drift. `POST /api/v1.0/device_drift` */
  checkDrift(body: Records.CheckDriftRequest = {}, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/device_drift", body, gives: "all" },
      options
    )
  }

  /** Check settings. `POST /api/v1.0/settings/model` */
  checkSettings(
    body: Readonly<Record<string, unknown>>,
    options: CallOptions = {}
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.call<Readonly<Record<string, unknown>>>(
      { method: "POST", path: "/api/v1.0/settings/model", body },
      options
    )
  }

  /** Check one settings file. `POST /api/v1.0/settings/model/{file}` */
  checkSettingsFile(
    file: string | number,
    body: Readonly<Record<string, unknown>>,
    options: CallOptions = {}
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.call<Readonly<Record<string, unknown>>>(
      { method: "POST", path: pathOf("/api/v1.0/settings/model/{file}", { file }), body },
      options
    )
  }

  /** Show the order of a staggered upgrade. `POST /api/v1.0/firmware/upgradecheck` */
  checkUpgrade(body: Records.CheckUpgradeRequest, options: CallOptions = {}): Promise<Records.UpgradeOrder> {
    return this.call<Records.UpgradeOrder>({ method: "POST", path: "/api/v1.0/firmware/upgradecheck", body }, options)
  }

  /** Compute the checksum of an image. `GET /api/v1.0/firmware/{filename}` */
  checksumFirmware(filename: string | number, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "GET", path: pathOf("/api/v1.0/firmware/{filename}", { filename }), gives: "all" },
      options
    )
  }

  /** Clear a lock. `DELETE /api/v1.0/joblocks` */
  clearLock(body: Records.ClearLockRequest, options: CallOptions = {}): Promise<Records.ClearLockResult> {
    return this.call<Records.ClearLockResult>({ method: "DELETE", path: "/api/v1.0/joblocks", body }, options)
  }

  /** Close a proposal. `DELETE /api/v1.0/proposals/{id}` */
  closeProposal(id: number, options: CallOptions = {}): Promise<Records.CloseProposalResult> {
    return this.call<Records.CloseProposalResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/proposals/{id}", { id }) },
      options
    )
  }

  /** Sign off in the page. `DELETE /api/v1.0/auth/session` */
  closeSession(options: CallOptions = {}): Promise<Records.EndedSession> {
    return this.call<Records.EndedSession>({ method: "DELETE", path: "/api/v1.0/auth/session" }, options)
  }

  /** Create a certificate authority. `POST /api/v1.0/certificate_authority` */
  createCertificateAuthority(
    body: Records.CreateCertificateAuthorityRequest = {},
    options: CallOptions = {}
  ): Promise<Records.CreateCertificateAuthorityResult> {
    return this.call<Records.CreateCertificateAuthorityResult>(
      { method: "POST", path: "/api/v1.0/certificate_authority", body },
      options
    )
  }

  /** Create a device. `POST /api/v1.0/device` */
  createDevice(body: Records.CreateDeviceRequest, options: CallOptions = {}): Promise<Records.CreateDeviceResult> {
    return this.call<Records.CreateDeviceResult>({ method: "POST", path: "/api/v1.0/device", body }, options)
  }

  /** Create a link. `POST /api/v1.0/linknets` */
  createLinknet(body: Records.CreateLinknetRequest, options: CallOptions = {}): Promise<Records.Linknet> {
    return this.call<Records.Linknet>({ method: "POST", path: "/api/v1.0/linknets", body }, options)
  }

  /** Create a management domain. `POST /api/v1.0/mgmtdomains` */
  createMgmtDomain(
    body: Records.CreateMgmtDomainRequest = {},
    options: CallOptions = {}
  ): Promise<Records.CreateMgmtDomainResult> {
    return this.call<Records.CreateMgmtDomainResult>({ method: "POST", path: "/api/v1.0/mgmtdomains", body }, options)
  }

  /** Mute alerts for some time. `POST /api/v1.0/alerts/mutes` */
  createMute(body: Records.CreateMuteRequest, options: CallOptions = {}): Promise<Records.CreateMuteResult> {
    return this.call<Records.CreateMuteResult>({ method: "POST", path: "/api/v1.0/alerts/mutes", body }, options)
  }

  /** Create a token for a program. `POST /api/v1.0/auth/tokens` */
  createToken(body: Records.CreateTokenRequest, options: CallOptions = {}): Promise<Records.CreateTokenResult> {
    return this.call<Records.CreateTokenResult>({ method: "POST", path: "/api/v1.0/auth/tokens", body }, options)
  }

  /** Add a user with a password. `POST /api/v1.0/auth/users` */
  createUser(body: Records.CreateUserRequest, options: CallOptions = {}): Promise<Records.CreateUserResult> {
    return this.call<Records.CreateUserResult>({ method: "POST", path: "/api/v1.0/auth/users", body }, options)
  }

  /** Delete a device. `DELETE /api/v1.0/device/{id}` */
  deleteDevice(
    id: number,
    body: Records.DeleteDeviceRequest = {},
    options: CallOptions = {}
  ): Promise<
    | {
        readonly status: "success"
        readonly data: { readonly deleted_device: Records.DeletedDevice }
        readonly warnings?: ReadonlyArray<string> | undefined
      }
    | Records.JobStarted
  > {
    return this.call<
      | {
          readonly status: "success"
          readonly data: { readonly deleted_device: Records.DeletedDevice }
          readonly warnings?: ReadonlyArray<string> | undefined
        }
      | Records.JobStarted
    >({ method: "DELETE", path: pathOf("/api/v1.0/device/{id}", { id }), body, gives: "all" }, options)
  }

  /** Remove an image. `DELETE /api/v1.0/firmware/{filename}` */
  deleteFirmware(filename: string | number, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "DELETE", path: pathOf("/api/v1.0/firmware/{filename}", { filename }), gives: "all" },
      options
    )
  }

  /** Delete a link. `DELETE /api/v1.0/linknet/{id}` */
  deleteLinknet(id: number, options: CallOptions = {}): Promise<Records.DeleteLinknetResult> {
    return this.call<Records.DeleteLinknetResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/linknet/{id}", { id }) },
      options
    )
  }

  /** Delete a link (old form). `DELETE /api/v1.0/linknets` */
  deleteLinknetByBody(
    body: Records.DeleteLinknetByBodyRequest,
    options: CallOptions = {}
  ): Promise<Records.DeleteLinknetByBodyResult> {
    return this.call<Records.DeleteLinknetByBodyResult>({ method: "DELETE", path: "/api/v1.0/linknets", body }, options)
  }

  /** Delete a management domain. `DELETE /api/v1.0/mgmtdomain/{id}` */
  deleteMgmtDomain(id: number, options: CallOptions = {}): Promise<Records.DeleteMgmtDomainResult> {
    return this.call<Records.DeleteMgmtDomainResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/mgmtdomain/{id}", { id }) },
      options
    )
  }

  /** Remove a mute. `DELETE /api/v1.0/alerts/mutes/{id}` */
  deleteMute(id: number, options: CallOptions = {}): Promise<Records.DeleteMuteResult> {
    return this.call<Records.DeleteMuteResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/alerts/mutes/{id}", { id }) },
      options
    )
  }

  /** Remove a user. `DELETE /api/v1.0/auth/users/{name}` */
  deleteUser(name: string | number, options: CallOptions = {}): Promise<Records.DeleteUserResult> {
    return this.call<Records.DeleteUserResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/auth/users/{name}", { name }) },
      options
    )
  }

  /** Remove a saved view. `DELETE /api/v1.0/views/{id}` */
  deleteView(id: number, options: CallOptions = {}): Promise<Records.DeleteViewResult> {
    return this.call<Records.DeleteViewResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/views/{id}", { id }) },
      options
    )
  }

  /** Compare two configurations. `GET /api/v1.0/device/{hostname}/config_diff` */
  diffConfigs(
    hostname: string | number,
    query: Records.DiffConfigsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.DiffConfigsResult> {
    return this.call<Records.DiffConfigsResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/config_diff", { hostname }), query },
      options
    )
  }

  /** Discover a device. `POST /api/v1.0/device_discover` */
  discoverDevice(body: Records.DiscoverDeviceRequest, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/device_discover", body, gives: "all" },
      options
    )
  }

  /** Discover a device (second name). `POST /api/v1.0/discover_device` */
  discoverDeviceAlias(body: Records.DiscoverDeviceRequest, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/discover_device", body, gives: "all" },
      options
    )
  }

  /** Download a firmware image. `POST /api/v1.0/firmware` */
  downloadFirmware(body: Records.DownloadFirmwareRequest, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>({ method: "POST", path: "/api/v1.0/firmware", body, gives: "all" }, options)
  }

  /** Check whether you or another person may make a call. `GET /api/v1.0/auth/explain` */
  explainPermission(
    query: Records.ExplainPermissionQuery = {},
    options: CallOptions = {}
  ): Promise<Records.Explanation> {
    return this.call<Records.Explanation>({ method: "GET", path: "/api/v1.0/auth/explain", query }, options)
  }

  /** Download a device's interfaces. `GET /api/v1.0/device/{hostname}/interfaces_export` */
  exportInterfaces(
    hostname: string | number,
    query: Records.ExportInterfacesQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ExportedInterfaces> {
    return this.call<Records.ExportedInterfaces>(
      {
        method: "GET",
        path: pathOf("/api/v1.0/device/{hostname}/interfaces_export", { hostname }),
        query,
        gives: "all"
      },
      options
    )
  }

  /** Find a machine, a device or a port. `GET /api/v1.0/find` */
  find(query: Records.FindQuery = {}, options: CallOptions = {}): Promise<Records.FindAnswer> {
    return this.call<Records.FindAnswer>({ method: "GET", path: "/api/v1.0/find", query }, options)
  }

  /** Preview a device's configuration. `GET /api/v1.0/device/{hostname}/generate_config` */
  generateConfig(hostname: string | number, options: CallOptions = {}): Promise<Records.GenerateConfigResult> {
    return this.call<Records.GenerateConfigResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/generate_config", { hostname }) },
      options
    )
  }

  /** Show alerts. `GET /api/v1.0/alerts` */
  getAlerts(options: CallOptions = {}): Promise<Records.AlertOverview> {
    return this.call<Records.AlertOverview>({ method: "GET", path: "/api/v1.0/alerts" }, options)
  }

  /** What needs a person now, the most urgent first. `GET /api/v1.0/attention` */
  getAttention(options: CallOptions = {}): Promise<Records.Attention> {
    return this.call<Records.Attention>({ method: "GET", path: "/api/v1.0/attention" }, options)
  }

  /** Show the certificate authority. `GET /api/v1.0/certificate_authority` */
  getCertificateAuthority(options: CallOptions = {}): Promise<Records.GetCertificateAuthorityResult> {
    return this.call<Records.GetCertificateAuthorityResult>(
      { method: "GET", path: "/api/v1.0/certificate_authority" },
      options
    )
  }

  /** Read the report of a change. `GET /api/v1.0/changes/{id}/report` */
  getChangeReport(
    id: number,
    query: Records.GetChangeReportQuery = {},
    options: CallOptions = {}
  ): Promise<Records.GetChangeReportResult> {
    return this.call<Records.GetChangeReportResult>(
      { method: "GET", path: pathOf("/api/v1.0/changes/{id}/report", { id }), query },
      options
    )
  }

  /** Show the checks of changes. `GET /api/v1.0/checks` */
  getChecks(options: CallOptions = {}): Promise<Records.ChecksInForce> {
    return this.call<Records.ChecksInForce>({ method: "GET", path: "/api/v1.0/checks" }, options)
  }

  /** Read one device. `GET /api/v1.0/device/{id}` */
  getDevice(id: string | number, options: CallOptions = {}): Promise<Records.GetDeviceResult> {
    return this.call<Records.GetDeviceResult>({ method: "GET", path: pathOf("/api/v1.0/device/{id}", { id }) }, options)
  }

  /** Show what a device is doing. `GET /api/v1.0/device/{hostname}/actor` */
  getDeviceActor(hostname: string | number, options: CallOptions = {}): Promise<Records.DeviceActor> {
    return this.call<Records.DeviceActor>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/actor", { hostname }) },
      options
    )
  }

  /** Read one group. `GET /api/v1.0/groups/{name}` */
  getGroup(name: string | number, options: CallOptions = {}): Promise<Records.Groups> {
    return this.call<Records.Groups>({ method: "GET", path: pathOf("/api/v1.0/groups/{name}", { name }) }, options)
  }

  /** Operating systems of a group. `GET /api/v1.0/groups/{name}/os_versions` */
  getGroupOsVersions(name: string | number, options: CallOptions = {}): Promise<Records.GetGroupOsVersionsResult> {
    return this.call<Records.GetGroupOsVersionsResult>(
      { method: "GET", path: pathOf("/api/v1.0/groups/{name}/os_versions", { name }) },
      options
    )
  }

  /** Operating systems of a group (second name). `GET /api/v1.0/groups/{name}/os_version` */
  getGroupOsVersionsAlias(
    name: string | number,
    options: CallOptions = {}
  ): Promise<Records.GetGroupOsVersionsAliasResult> {
    return this.call<Records.GetGroupOsVersionsAliasResult>(
      { method: "GET", path: pathOf("/api/v1.0/groups/{name}/os_version", { name }) },
      options
    )
  }

  /** Read the health. `GET /api/health` */
  getHealth(options: CallOptions = {}): Promise<Records.HealthReport> {
    return this.call<Records.HealthReport>({ method: "GET", path: "/api/health", gives: "all" }, options)
  }

  /** Show the pinned host key. `GET /api/v1.0/device/{hostname}/host_key` */
  getHostKey(hostname: string | number, options: CallOptions = {}): Promise<Records.GetHostKeyResult> {
    return this.call<Records.GetHostKeyResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/host_key", { hostname }) },
      options
    )
  }

  /** Read your identity. `GET /api/v1.0/auth/identity` */
  getIdentity(options: CallOptions = {}): Promise<string> {
    return this.call<string>({ method: "GET", path: "/api/v1.0/auth/identity", gives: "all" }, options)
  }

  /** Read the states of the ports. `GET /api/v1.0/device/{hostname}/interface_status` */
  getInterfaceStatus(hostname: string | number, options: CallOptions = {}): Promise<Records.GetInterfaceStatusResult> {
    return this.call<Records.GetInterfaceStatusResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/interface_status", { hostname }) },
      options
    )
  }

  /** Read one job. `GET /api/v1.0/job/{id}` */
  getJob(id: number, query: Records.GetJobQuery = {}, options: CallOptions = {}): Promise<Records.GetJobResult> {
    return this.call<Records.GetJobResult>(
      { method: "GET", path: pathOf("/api/v1.0/job/{id}", { id }), query },
      options
    )
  }

  /** Read the checks of a job, in groups. `GET /api/v1.0/job/{id}/checks` */
  getJobChecks(id: number, options: CallOptions = {}): Promise<Records.JobChecks> {
    return this.call<Records.JobChecks>({ method: "GET", path: pathOf("/api/v1.0/job/{id}/checks", { id }) }, options)
  }

  /** Read the differences of a job, in groups. `GET /api/v1.0/job/{id}/diffs` */
  getJobDiffs(id: number, query: Records.GetJobDiffsQuery = {}, options: CallOptions = {}): Promise<Records.JobDiffs> {
    return this.call<Records.JobDiffs>(
      { method: "GET", path: pathOf("/api/v1.0/job/{id}/diffs", { id }), query },
      options
    )
  }

  /** Read the progress of a job by device. `GET /api/v1.0/job/{id}/progress` */
  getJobProgress(
    id: number,
    query: Records.GetJobProgressQuery = {},
    options: CallOptions = {}
  ): Promise<Records.JobProgress> {
    return this.call<Records.JobProgress>(
      { method: "GET", path: pathOf("/api/v1.0/job/{id}/progress", { id }), query },
      options
    )
  }

  /** Read what a job is about. `GET /api/v1.0/job/{id}/scope` */
  getJobScope(id: number, options: CallOptions = {}): Promise<Records.JobScope> {
    return this.call<Records.JobScope>({ method: "GET", path: pathOf("/api/v1.0/job/{id}/scope", { id }) }, options)
  }

  /** Read one link. `GET /api/v1.0/linknet/{id}` */
  getLinknet(id: number, options: CallOptions = {}): Promise<Records.GetLinknetResult> {
    return this.call<Records.GetLinknetResult>(
      { method: "GET", path: pathOf("/api/v1.0/linknet/{id}", { id }) },
      options
    )
  }

  /** Is the process alive. `GET /api/health/live` */
  getLiveness(options: CallOptions = {}): Promise<Records.HealthReport> {
    return this.call<Records.HealthReport>({ method: "GET", path: "/api/health/live", gives: "all" }, options)
  }

  /** Read everything that LLDP neighbours announce. `GET /api/v1.0/device/{hostname}/lldp_neighbors_detail` */
  getLldpNeighborDetails(
    hostname: string | number,
    options: CallOptions = {}
  ): Promise<Records.GetLldpNeighborDetailsResult> {
    return this.call<Records.GetLldpNeighborDetailsResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/lldp_neighbors_detail", { hostname }) },
      options
    )
  }

  /** Read the LLDP neighbours. `GET /api/v1.0/device/{hostname}/lldp_neighbors` */
  getLldpNeighbors(hostname: string | number, options: CallOptions = {}): Promise<Records.GetLldpNeighborsResult> {
    return this.call<Records.GetLldpNeighborsResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/lldp_neighbors", { hostname }) },
      options
    )
  }

  /** Read the metrics. `GET /metrics` */
  getMetrics(options: CallOptions = {}): Promise<string> {
    return this.call<string>({ method: "GET", path: "/metrics", gives: "text" }, options)
  }

  /** Read one management domain. `GET /api/v1.0/mgmtdomain/{id}` */
  getMgmtDomain(id: number, options: CallOptions = {}): Promise<Records.GetMgmtDomainResult> {
    return this.call<Records.GetMgmtDomainResult>(
      { method: "GET", path: pathOf("/api/v1.0/mgmtdomain/{id}", { id }) },
      options
    )
  }

  /** Read the light levels of transceivers. `GET /api/v1.0/device/{hostname}/optics` */
  getOptics(hostname: string | number, options: CallOptions = {}): Promise<Records.GetOpticsResult> {
    return this.call<Records.GetOpticsResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/optics", { hostname }) },
      options
    )
  }

  /** Count devices and jobs by state. `GET /api/v1.0/overview` */
  getOverview(options: CallOptions = {}): Promise<Records.Overview> {
    return this.call<Records.Overview>({ method: "GET", path: "/api/v1.0/overview" }, options)
  }

  /** Counts of devices over time. `GET /api/v1.0/overview/history` */
  getOverviewHistory(
    query: Records.GetOverviewHistoryQuery = {},
    options: CallOptions = {}
  ): Promise<Records.OverviewHistory> {
    return this.call<Records.OverviewHistory>({ method: "GET", path: "/api/v1.0/overview/history", query }, options)
  }

  /** List what ports can be given. `GET /api/v1.0/device/{hostname}/port_options` */
  getPortOptions(hostname: string | number, options: CallOptions = {}): Promise<Records.PortOptions> {
    return this.call<Records.PortOptions>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/port_options", { hostname }) },
      options
    )
  }

  /** Read the ports as last read. `GET /api/v1.0/device/{hostname}/port_readings` */
  getPortReadings(
    hostname: string | number,
    query: Records.GetPortReadingsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.PortReadings> {
    return this.call<Records.PortReadings>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/port_readings", { hostname }), query },
      options
    )
  }

  /** Read an earlier configuration. `GET /api/v1.0/device/{hostname}/previous_config` */
  getPreviousConfig(
    hostname: string | number,
    query: Records.GetPreviousConfigQuery = {},
    options: CallOptions = {}
  ): Promise<Records.PreviousConfig> {
    return this.call<Records.PreviousConfig>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/previous_config", { hostname }), query },
      options
    )
  }

  /** Read a proposal. `GET /api/v1.0/proposals/{id}` */
  getProposal(id: number, options: CallOptions = {}): Promise<Records.GetProposalResult> {
    return this.call<Records.GetProposalResult>(
      { method: "GET", path: pathOf("/api/v1.0/proposals/{id}", { id }) },
      options
    )
  }

  /** Can the server work. `GET /api/health/ready` */
  getReadiness(options: CallOptions = {}): Promise<Records.HealthReport> {
    return this.call<Records.HealthReport>({ method: "GET", path: "/api/health/ready", gives: "all" }, options)
  }

  /** Read the state of a device. `GET /api/v1.0/device/{hostname}/readings` */
  getReadings(
    hostname: string | number,
    query: Records.GetReadingsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.GetReadingsResult> {
    return this.call<Records.GetReadingsResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/readings", { hostname }), query },
      options
    )
  }

  /** Check whether all replicas work together. `GET /api/health/replicas` */
  getReplicaHealth(options: CallOptions = {}): Promise<Records.HealthReport> {
    return this.call<Records.HealthReport>({ method: "GET", path: "/api/health/replicas", gives: "all" }, options)
  }

  /** Read a repository's commit. `GET /api/v1.0/repository/{name}` */
  getRepository(name: "settings" | "templates", options: CallOptions = {}): Promise<Records.GetRepositoryResult> {
    return this.call<Records.GetRepositoryResult>(
      { method: "GET", path: pathOf("/api/v1.0/repository/{name}", { name }), gives: "all" },
      options
    )
  }

  /** Read a file in force. `GET /api/v1.0/repository/{name}/file` */
  getRepositoryFile(
    name: "settings" | "templates",
    query: Records.GetRepositoryFileQuery = {},
    options: CallOptions = {}
  ): Promise<Records.RepositoryFileText> {
    return this.call<Records.RepositoryFileText>(
      { method: "GET", path: pathOf("/api/v1.0/repository/{name}/file", { name }), query },
      options
    )
  }

  /** Read a repository's problems. `GET /api/v1.0/repository/{name}/problems` */
  getRepositoryProblems(
    name: "settings" | "templates",
    options: CallOptions = {}
  ): Promise<Records.GetRepositoryProblemsResult> {
    return this.call<Records.GetRepositoryProblemsResult>(
      { method: "GET", path: pathOf("/api/v1.0/repository/{name}/problems", { name }) },
      options
    )
  }

  /** Read the running configuration. `GET /api/v1.0/device/{hostname}/running_config` */
  getRunningConfig(
    hostname: string | number,
    query: Records.GetRunningConfigQuery = {},
    options: CallOptions = {}
  ): Promise<Records.GetRunningConfigResult> {
    return this.call<Records.GetRunningConfigResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/running_config", { hostname }), query },
      options
    )
  }

  /** Read the server's configuration. `GET /api/v1.0/settings/server` */
  getServerSettings(options: CallOptions = {}): Promise<Records.GetServerSettingsResult> {
    return this.call<Records.GetServerSettingsResult>(
      { method: "GET", path: "/api/v1.0/settings/server", gives: "all" },
      options
    )
  }

  /** Read the status of the server. `GET /api/v1.0/system/status` */
  getServerStatus(options: CallOptions = {}): Promise<Records.ServerStatus> {
    return this.call<Records.ServerStatus>({ method: "GET", path: "/api/v1.0/system/status" }, options)
  }

  /** Read effective settings. `GET /api/v1.0/settings` */
  getSettings(query: Records.GetSettingsQuery = {}, options: CallOptions = {}): Promise<Records.EffectiveSettings> {
    return this.call<Records.EffectiveSettings>({ method: "GET", path: "/api/v1.0/settings", query }, options)
  }

  /** Read the model of one settings file. `GET /api/v1.0/settings/model/{file}` */
  getSettingsFileModel(file: string | number, options: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.call<Readonly<Record<string, unknown>>>(
      { method: "GET", path: pathOf("/api/v1.0/settings/model/{file}", { file }), gives: "all" },
      options
    )
  }

  /** Read the model of the settings. `GET /api/v1.0/settings/model` */
  getSettingsModel(options: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.call<Readonly<Record<string, unknown>>>(
      { method: "GET", path: "/api/v1.0/settings/model", gives: "all" },
      options
    )
  }

  /** Show the statecharts of a device. `GET /api/v1.0/statecharts` */
  getStatecharts(options: CallOptions = {}): Promise<Records.Statecharts> {
    return this.call<Records.Statecharts>({ method: "GET", path: "/api/v1.0/statecharts" }, options)
  }

  /** Read why devices are unsynchronized. `GET /api/v1.0/device_synchistory` */
  getSyncHistory(
    query: Records.GetSyncHistoryQuery = {},
    options: CallOptions = {}
  ): Promise<Records.GetSyncHistoryResult> {
    return this.call<Records.GetSyncHistoryResult>(
      { method: "GET", path: "/api/v1.0/device_synchistory", query },
      options
    )
  }

  /** Read the template variables of a device. `GET /api/v1.0/device/{hostname}/variables` */
  getTemplateVariables(hostname: string | number, options: CallOptions = {}): Promise<Records.TemplateVariables> {
    return this.call<Records.TemplateVariables>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/variables", { hostname }) },
      options
    )
  }

  /** The network as planned and seen. `GET /api/v1.0/topology` */
  getTopology(options: CallOptions = {}): Promise<Records.Topology> {
    return this.call<Records.Topology>({ method: "GET", path: "/api/v1.0/topology" }, options)
  }

  /** Read the progress of an upgrade. `GET /api/v1.0/job/{id}/upgrade` */
  getUpgradeProgress(id: number, options: CallOptions = {}): Promise<Records.UpgradeProgress> {
    return this.call<Records.UpgradeProgress>(
      { method: "GET", path: pathOf("/api/v1.0/job/{id}/upgrade", { id }) },
      options
    )
  }

  /** Read the version. `GET /api/v1.0/system/version` */
  getVersion(options: CallOptions = {}): Promise<Records.Version> {
    return this.call<Records.Version>({ method: "GET", path: "/api/v1.0/system/version" }, options)
  }

  /** Show the windows. `GET /api/v1.0/windows` */
  getWindows(query: Records.GetWindowsQuery = {}, options: CallOptions = {}): Promise<Records.WindowOverview> {
    return this.call<Records.WindowOverview>({ method: "GET", path: "/api/v1.0/windows", query }, options)
  }

  /** Ignore a new switch. `PUT /api/v1.0/new_devices/{id}` */
  ignoreNewDevice(
    id: number,
    body: Records.IgnoreNewDeviceRequest,
    options: CallOptions = {}
  ): Promise<Records.IgnoreNewDeviceResult> {
    return this.call<Records.IgnoreNewDeviceResult>(
      { method: "PUT", path: pathOf("/api/v1.0/new_devices/{id}", { id }), body },
      options
    )
  }

  /** Initialise a discovered device. `POST /api/v1.0/device_init/{id}` */
  initDevice(id: number, body: Records.InitDeviceRequest, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: pathOf("/api/v1.0/device_init/{id}", { id }), body, gives: "all" },
      options
    )
  }

  /** Initialise several switches. `POST /api/v1.0/new_devices` */
  initDevices(body: Records.InitDevicesRequest, options: CallOptions = {}): Promise<Records.InitDevicesResult> {
    return this.call<Records.InitDevicesResult>({ method: "POST", path: "/api/v1.0/new_devices", body }, options)
  }

  /** List requests that wait for another person. `GET /api/v1.0/approvals` */
  listApprovals(options: CallOptions = {}): Promise<Records.ListApprovalsResult> {
    return this.call<Records.ListApprovalsResult>({ method: "GET", path: "/api/v1.0/approvals" }, options)
  }

  /** List the audit. `GET /api/v1.0/audit` */
  listAuditEvents(
    query: Records.ListAuditEventsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListAuditEventsResult> {
    return this.call<Records.ListAuditEventsResult>({ method: "GET", path: "/api/v1.0/audit", query }, options)
  }

  /** The same, record by record, with all pages. */
  allAuditEvents(
    query: Records.ListAuditEventsQuery = {},
    options: CallOptions = {}
  ): AsyncGenerator<Records.ListAuditEventsResult["events"][number], void> {
    return this.pages<Records.ListAuditEventsResult["events"][number]>(
      { method: "GET", path: "/api/v1.0/audit", query },
      "events",
      options
    )
  }

  /** List a repository's branches. `GET /api/v1.0/repository/{name}/branches` */
  listBranches(
    name: "settings" | "templates",
    query: Records.ListBranchesQuery = {},
    options: CallOptions = {}
  ): Promise<Records.RepositoryBranches> {
    return this.call<Records.RepositoryBranches>(
      { method: "GET", path: pathOf("/api/v1.0/repository/{name}/branches", { name }), query },
      options
    )
  }

  /** List the certificates of devices. `GET /api/v1.0/certificates` */
  listCertificates(
    query: Records.ListCertificatesQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListCertificatesResult> {
    return this.call<Records.ListCertificatesResult>({ method: "GET", path: "/api/v1.0/certificates", query }, options)
  }

  /** List a repository's commits. `GET /api/v1.0/repository/{name}/commits` */
  listCommits(
    name: "settings" | "templates",
    query: Records.ListCommitsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.CommitsOfRepository> {
    return this.call<Records.CommitsOfRepository>(
      { method: "GET", path: pathOf("/api/v1.0/repository/{name}/commits", { name }), query },
      options
    )
  }

  /** List a device's stored configurations. `GET /api/v1.0/device/{hostname}/configs` */
  listConfigs(hostname: string | number, options: CallOptions = {}): Promise<Records.ListConfigsResult> {
    return this.call<Records.ListConfigsResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/configs", { hostname }) },
      options
    )
  }

  /** List messages to receivers. `GET /api/v1.0/alerts/deliveries` */
  listDeliveries(
    query: Records.ListDeliveriesQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListDeliveriesResult> {
    return this.call<Records.ListDeliveriesResult>(
      { method: "GET", path: "/api/v1.0/alerts/deliveries", query },
      options
    )
  }

  /** The same, record by record, with all pages. */
  allDeliveries(
    query: Records.ListDeliveriesQuery = {},
    options: CallOptions = {}
  ): AsyncGenerator<Records.ListDeliveriesResult["deliveries"][number], void> {
    return this.pages<Records.ListDeliveriesResult["deliveries"][number]>(
      { method: "GET", path: "/api/v1.0/alerts/deliveries", query },
      "deliveries",
      options
    )
  }

  /** Read the history of a device. `GET /api/v1.0/device/{hostname}/audit` */
  listDeviceAuditEvents(
    hostname: string | number,
    query: Records.ListDeviceAuditEventsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListDeviceAuditEventsResult> {
    return this.call<Records.ListDeviceAuditEventsResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/audit", { hostname }), query },
      options
    )
  }

  /** The same, record by record, with all pages. */
  allDeviceAuditEvents(
    hostname: string | number,
    query: Records.ListDeviceAuditEventsQuery = {},
    options: CallOptions = {}
  ): AsyncGenerator<Records.ListDeviceAuditEventsResult["events"][number], void> {
    return this.pages<Records.ListDeviceAuditEventsResult["events"][number]>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/audit", { hostname }), query },
      "events",
      options
    )
  }

  /** List devices. `GET /api/v1.0/devices` */
  listDevices(query: Records.ListDevicesQuery = {}, options: CallOptions = {}): Promise<Records.ListDevicesResult> {
    return this.call<Records.ListDevicesResult>({ method: "GET", path: "/api/v1.0/devices", query }, options)
  }

  /** The same, record by record, with all pages. */
  allDevices(
    query: Records.ListDevicesQuery = {},
    options: CallOptions = {}
  ): AsyncGenerator<Records.ListDevicesResult["devices"][number], void> {
    return this.pages<Records.ListDevicesResult["devices"][number]>(
      { method: "GET", path: "/api/v1.0/devices", query },
      "devices",
      options
    )
  }

  /** Read or follow events. `GET /api/v1.0/events` */
  listEvents(query: Records.ListEventsQuery = {}, options: CallOptions = {}): Promise<Records.EventPage> {
    return this.call<Records.EventPage>({ method: "GET", path: "/api/v1.0/events", query }, options)
  }

  /** List the findings of the doctor. `GET /api/v1.0/system/findings` */
  listFindings(options: CallOptions = {}): Promise<Records.ListFindingsResult> {
    return this.call<Records.ListFindingsResult>({ method: "GET", path: "/api/v1.0/system/findings" }, options)
  }

  /** List firmware images. `GET /api/v1.0/firmware` */
  listFirmware(options: CallOptions = {}): Promise<Records.ListFirmwareResult> {
    return this.call<Records.ListFirmwareResult>({ method: "GET", path: "/api/v1.0/firmware" }, options)
  }

  /** List images with their downloads. `GET /api/v1.0/firmware_images` */
  listFirmwareImages(options: CallOptions = {}): Promise<Records.FirmwareImages> {
    return this.call<Records.FirmwareImages>({ method: "GET", path: "/api/v1.0/firmware_images" }, options)
  }

  /** Count versions by group. `GET /api/v1.0/firmware_versions` */
  listFirmwareVersions(options: CallOptions = {}): Promise<Records.ListFirmwareVersionsResult> {
    return this.call<Records.ListFirmwareVersionsResult>(
      { method: "GET", path: "/api/v1.0/firmware_versions" },
      options
    )
  }

  /** List groups. `GET /api/v1.0/groups` */
  listGroups(options: CallOptions = {}): Promise<Records.Groups> {
    return this.call<Records.Groups>({ method: "GET", path: "/api/v1.0/groups" }, options)
  }

  /** List a device's interfaces. `GET /api/v1.0/device/{hostname}/interfaces` */
  listInterfaces(hostname: string | number, options: CallOptions = {}): Promise<Records.ListInterfacesResult> {
    return this.call<Records.ListInterfacesResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/interfaces", { hostname }) },
      options
    )
  }

  /** List approvals of jobs. `GET /api/v1.0/approvals/jobs` */
  listJobApprovals(options: CallOptions = {}): Promise<Records.ListJobApprovalsResult> {
    return this.call<Records.ListJobApprovalsResult>({ method: "GET", path: "/api/v1.0/approvals/jobs" }, options)
  }

  /** Read the history of a job. `GET /api/v1.0/job/{id}/audit` */
  listJobAuditEvents(
    id: number,
    query: Records.ListJobAuditEventsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListJobAuditEventsResult> {
    return this.call<Records.ListJobAuditEventsResult>(
      { method: "GET", path: pathOf("/api/v1.0/job/{id}/audit", { id }), query },
      options
    )
  }

  /** The same, record by record, with all pages. */
  allJobAuditEvents(
    id: number,
    query: Records.ListJobAuditEventsQuery = {},
    options: CallOptions = {}
  ): AsyncGenerator<Records.ListJobAuditEventsResult["events"][number], void> {
    return this.pages<Records.ListJobAuditEventsResult["events"][number]>(
      { method: "GET", path: pathOf("/api/v1.0/job/{id}/audit", { id }), query },
      "events",
      options
    )
  }

  /** List jobs. `GET /api/v1.0/jobs` */
  listJobs(query: Records.ListJobsQuery = {}, options: CallOptions = {}): Promise<Records.ListJobsResult> {
    return this.call<Records.ListJobsResult>({ method: "GET", path: "/api/v1.0/jobs", query }, options)
  }

  /** The same, record by record, with all pages. */
  allJobs(
    query: Records.ListJobsQuery = {},
    options: CallOptions = {}
  ): AsyncGenerator<Records.ListJobsResult["jobs"][number], void> {
    return this.pages<Records.ListJobsResult["jobs"][number]>(
      { method: "GET", path: "/api/v1.0/jobs", query },
      "jobs",
      options
    )
  }

  /** List learnt spellings of lines. `GET /api/v1.0/learned_lines` */
  listLearnedLines(
    query: Records.ListLearnedLinesQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListLearnedLinesResult> {
    return this.call<Records.ListLearnedLinesResult>({ method: "GET", path: "/api/v1.0/learned_lines", query }, options)
  }

  /** List leases that were refused or wait. `GET /api/v1.0/dhcp_leases` */
  listLeases(options: CallOptions = {}): Promise<Records.ListLeasesResult> {
    return this.call<Records.ListLeasesResult>({ method: "GET", path: "/api/v1.0/dhcp_leases" }, options)
  }

  /** List the lines that a setting gives. `GET /api/v1.0/repository/{name}/lines` */
  listLinesFromSource(
    name: "settings" | "templates",
    query: Records.ListLinesFromSourceQuery = {},
    options: CallOptions = {}
  ): Promise<Records.LinesFromSource> {
    return this.call<Records.LinesFromSource>(
      { method: "GET", path: pathOf("/api/v1.0/repository/{name}/lines", { name }), query },
      options
    )
  }

  /** List links. `GET /api/v1.0/linknets` */
  listLinknets(options: CallOptions = {}): Promise<Records.ListLinknetsResult> {
    return this.call<Records.ListLinknetsResult>({ method: "GET", path: "/api/v1.0/linknets" }, options)
  }

  /** List locks. `GET /api/v1.0/joblocks` */
  listLocks(options: CallOptions = {}): Promise<Records.ListLocksResult> {
    return this.call<Records.ListLocksResult>({ method: "GET", path: "/api/v1.0/joblocks" }, options)
  }

  /** List the login methods. `GET /api/v1.0/auth/ways` */
  listLoginMethods(options: CallOptions = {}): Promise<Records.LoginMethods> {
    return this.call<Records.LoginMethods>({ method: "GET", path: "/api/v1.0/auth/ways" }, options)
  }

  /** List management domains. `GET /api/v1.0/mgmtdomains` */
  listMgmtDomains(
    query: Records.ListMgmtDomainsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListMgmtDomainsResult> {
    return this.call<Records.ListMgmtDomainsResult>({ method: "GET", path: "/api/v1.0/mgmtdomains", query }, options)
  }

  /** The same, record by record, with all pages. */
  allMgmtDomains(
    query: Records.ListMgmtDomainsQuery = {},
    options: CallOptions = {}
  ): AsyncGenerator<Records.ListMgmtDomainsResult["mgmtdomains"][number], void> {
    return this.pages<Records.ListMgmtDomainsResult["mgmtdomains"][number]>(
      { method: "GET", path: "/api/v1.0/mgmtdomains", query },
      "mgmtdomains",
      options
    )
  }

  /** List mutes. `GET /api/v1.0/alerts/mutes` */
  listMutes(options: CallOptions = {}): Promise<Records.ListMutesResult> {
    return this.call<Records.ListMutesResult>({ method: "GET", path: "/api/v1.0/alerts/mutes" }, options)
  }

  /** List new switches. `GET /api/v1.0/new_devices` */
  listNewDevices(options: CallOptions = {}): Promise<Records.ListNewDevicesResult> {
    return this.call<Records.ListNewDevicesResult>({ method: "GET", path: "/api/v1.0/new_devices" }, options)
  }

  /** List onboarded switches. `GET /api/v1.0/onboarding` */
  listOnboarding(options: CallOptions = {}): Promise<Records.ListOnboardingResult> {
    return this.call<Records.ListOnboardingResult>({ method: "GET", path: "/api/v1.0/onboarding" }, options)
  }

  /** Read your permissions. `GET /api/v1.0/auth/permissions` */
  listPermissions(options: CallOptions = {}): Promise<ReadonlyArray<Records.Permission>> {
    return this.call<ReadonlyArray<Records.Permission>>(
      { method: "GET", path: "/api/v1.0/auth/permissions", gives: "all" },
      options
    )
  }

  /** List the persons. `GET /api/v1.0/auth/persons` */
  listPersons(options: CallOptions = {}): Promise<Records.ListPersonsResult> {
    return this.call<Records.ListPersonsResult>({ method: "GET", path: "/api/v1.0/auth/persons" }, options)
  }

  /** List plugins. `GET /api/v1.0/plugins` */
  listPlugins(options: CallOptions = {}): Promise<Records.ListPluginsResult> {
    return this.call<Records.ListPluginsResult>({ method: "GET", path: "/api/v1.0/plugins" }, options)
  }

  /** List proposals. `GET /api/v1.0/proposals` */
  listProposals(
    query: Records.ListProposalsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.ListProposalsResult> {
    return this.call<Records.ListProposalsResult>({ method: "GET", path: "/api/v1.0/proposals", query }, options)
  }

  /** List the files in force. `GET /api/v1.0/repository/{name}/files` */
  listRepositoryFiles(
    name: "settings" | "templates",
    query: Records.ListRepositoryFilesQuery = {},
    options: CallOptions = {}
  ): Promise<Records.RepositoryFiles> {
    return this.call<Records.RepositoryFiles>(
      { method: "GET", path: pathOf("/api/v1.0/repository/{name}/files", { name }), query },
      options
    )
  }

  /** List the roles. `GET /api/v1.0/auth/roles` */
  listRoles(options: CallOptions = {}): Promise<Records.ListRolesResult> {
    return this.call<Records.ListRolesResult>({ method: "GET", path: "/api/v1.0/auth/roles" }, options)
  }

  /** List the secrets by name. `GET /api/v1.0/secrets` */
  listSecrets(options: CallOptions = {}): Promise<Records.ListSecretsResult> {
    return this.call<Records.ListSecretsResult>({ method: "GET", path: "/api/v1.0/secrets" }, options)
  }

  /** Read stack members. `GET /api/v1.0/device/{hostname}/stackmember` */
  listStackMembers(hostname: string | number, options: CallOptions = {}): Promise<Records.ListStackMembersResult> {
    return this.call<Records.ListStackMembersResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/stackmember", { hostname }) },
      options
    )
  }

  /** List tokens of programs. `GET /api/v1.0/auth/tokens` */
  listTokens(options: CallOptions = {}): Promise<Records.ListTokensResult> {
    return this.call<Records.ListTokensResult>({ method: "GET", path: "/api/v1.0/auth/tokens" }, options)
  }

  /** List the users with passwords. `GET /api/v1.0/auth/users` */
  listUsers(options: CallOptions = {}): Promise<Records.ListUsersResult> {
    return this.call<Records.ListUsersResult>({ method: "GET", path: "/api/v1.0/auth/users" }, options)
  }

  /** List saved views. `GET /api/v1.0/views` */
  listViews(options: CallOptions = {}): Promise<Records.ListViewsResult> {
    return this.call<Records.ListViewsResult>({ method: "GET", path: "/api/v1.0/views" }, options)
  }

  /** List host keys that need an approval. `GET /api/v1.0/device_hostkeys` */
  listWaitingHostKeys(options: CallOptions = {}): Promise<Records.ListWaitingHostKeysResult> {
    return this.call<Records.ListWaitingHostKeysResult>({ method: "GET", path: "/api/v1.0/device_hostkeys" }, options)
  }

  /** List who may make a call. `GET /api/v1.0/auth/who_may` */
  listWhoMay(query: Records.ListWhoMayQuery = {}, options: CallOptions = {}): Promise<Records.ListWhoMayResult> {
    return this.call<Records.ListWhoMayResult>({ method: "GET", path: "/api/v1.0/auth/who_may", query }, options)
  }

  /** Log in with a name and a password. `POST /api/v1.0/auth` */
  login(options: CallOptions = {}): Promise<Records.LoginResult> {
    return this.call<Records.LoginResult>({ method: "POST", path: "/api/v1.0/auth", gives: "all" }, options)
  }

  /** Log out. `POST /api/v1.0/auth/logout` */
  logout(options: CallOptions = {}): Promise<Records.EndedSession> {
    return this.call<Records.EndedSession>({ method: "POST", path: "/api/v1.0/auth/logout" }, options)
  }

  /** Manage switches without a push. `POST /api/v1.0/onboarding/manage` */
  manageOnboarded(body: Records.ReadOnboardedRequest = {}, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/onboarding/manage", body, gives: "all" },
      options
    )
  }

  /** Mark differences of a proposal as viewed. `POST /api/v1.0/proposals/{id}/viewed` */
  markProposalViewed(
    id: number,
    body: Records.MarkViewedRequest,
    options: CallOptions = {}
  ): Promise<Records.MarkProposalViewedResult> {
    return this.call<Records.MarkProposalViewedResult>(
      { method: "POST", path: pathOf("/api/v1.0/proposals/{id}/viewed", { id }), body },
      options
    )
  }

  /** Mark differences as viewed. `POST /api/v1.0/job/{id}/viewed` */
  markViewed(id: number, body: Records.MarkViewedRequest, options: CallOptions = {}): Promise<Records.ViewedGroups> {
    return this.call<Records.ViewedGroups>(
      { method: "POST", path: pathOf("/api/v1.0/job/{id}/viewed", { id }), body },
      options
    )
  }

  /** Add switches that exist already. `POST /api/v1.0/onboarding` */
  onboard(body: Records.OnboardRequest, options: CallOptions = {}): Promise<Records.OnboardingResult> {
    return this.call<Records.OnboardingResult>({ method: "POST", path: "/api/v1.0/onboarding", body }, options)
  }

  /** How far switches are from the templates. `GET /api/v1.0/onboarding/distance` */
  onboardingDistance(
    query: Records.OnboardingDistanceQuery = {},
    options: CallOptions = {}
  ): Promise<Records.OnboardingDistance> {
    return this.call<Records.OnboardingDistance>(
      { method: "GET", path: "/api/v1.0/onboarding/distance", query },
      options
    )
  }

  /** The distance by commit. `GET /api/v1.0/onboarding/history` */
  onboardingHistory(options: CallOptions = {}): Promise<Records.OnboardingHistoryResult> {
    return this.call<Records.OnboardingHistoryResult>({ method: "GET", path: "/api/v1.0/onboarding/history" }, options)
  }

  /** Propose a branch. `POST /api/v1.0/proposals` */
  openProposal(body: Records.OpenProposalRequest, options: CallOptions = {}): Promise<Records.OpenProposalResult> {
    return this.call<Records.OpenProposalResult>({ method: "POST", path: "/api/v1.0/proposals", body }, options)
  }

  /** Sign on in the page. `POST /api/v1.0/auth/session` */
  openSession(options: CallOptions = {}): Promise<Records.OpenedSession> {
    return this.call<Records.OpenedSession>({ method: "POST", path: "/api/v1.0/auth/session" }, options)
  }

  /** Pin another host key. `PUT /api/v1.0/device/{hostname}/host_key` */
  pinHostKey(
    hostname: string | number,
    body: Records.PinHostKeyRequest,
    options: CallOptions = {}
  ): Promise<Records.PinHostKeyResult> {
    return this.call<Records.PinHostKeyResult>(
      { method: "PUT", path: pathOf("/api/v1.0/device/{hostname}/host_key", { hostname }), body },
      options
    )
  }

  /** Preview a change of interfaces. `POST /api/v1.0/device/{hostname}/interfaces/preview` */
  previewInterfaces(
    hostname: string | number,
    body: Records.InterfaceChanges,
    options: CallOptions = {}
  ): Promise<Records.InterfacePreview> {
    return this.call<Records.InterfacePreview>(
      { method: "POST", path: pathOf("/api/v1.0/device/{hostname}/interfaces/preview", { hostname }), body },
      options
    )
  }

  /** List proposed links. `GET /api/v1.0/onboarding/links` */
  proposedLinks(options: CallOptions = {}): Promise<Records.ProposedLinksResult> {
    return this.call<Records.ProposedLinksResult>({ method: "GET", path: "/api/v1.0/onboarding/links" }, options)
  }

  /** Settings from what runs. `GET /api/v1.0/onboarding/settings` */
  proposedSettings(options: CallOptions = {}): Promise<Records.SettingsProposal> {
    return this.call<Records.SettingsProposal>({ method: "GET", path: "/api/v1.0/onboarding/settings" }, options)
  }

  /** Read onboarded switches again. `POST /api/v1.0/onboarding/read` */
  readOnboarded(body: Records.ReadOnboardedRequest = {}, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/onboarding/read", body, gives: "all" },
      options
    )
  }

  /** Read how far the installation is. `GET /api/v1.0/setup` */
  readSetup(options: CallOptions = {}): Promise<Records.SetupProgress> {
    return this.call<Records.SetupProgress>({ method: "GET", path: "/api/v1.0/setup" }, options)
  }

  /** Read MAC address and ARP tables. `POST /api/v1.0/device_read_tables` */
  readTables(body: Records.ReadTablesRequest = {}, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/device_read_tables", body, gives: "all" },
      options
    )
  }

  /** Get a new token. `POST /api/v1.0/auth/refresh` */
  refreshLogin(options: CallOptions = {}): Promise<Records.RefreshLoginResult> {
    return this.call<Records.RefreshLoginResult>({ method: "POST", path: "/api/v1.0/auth/refresh" }, options)
  }

  /** Refresh a repository. `PUT /api/v1.0/repository/{name}` */
  refreshRepository(
    name: "settings" | "templates",
    body: Records.RefreshRepositoryRequest,
    options: CallOptions = {}
  ): Promise<Records.RefreshRepositoryResult> {
    return this.call<Records.RefreshRepositoryResult>(
      { method: "PUT", path: pathOf("/api/v1.0/repository/{name}", { name }), body, gives: "all" },
      options
    )
  }

  /** Reject a job. `POST /api/v1.0/job/{id}/reject` */
  rejectJob(id: number, body: Records.DecisionRequest, options: CallOptions = {}): Promise<Records.RejectJobResult> {
    return this.call<Records.RejectJobResult>(
      { method: "POST", path: pathOf("/api/v1.0/job/{id}/reject", { id }), body },
      options
    )
  }

  /** Reject a request. `POST /api/v1.0/approvals/{id}/reject` */
  rejectRequest(
    id: number,
    body: Records.DecisionRequest,
    options: CallOptions = {}
  ): Promise<Records.RejectRequestResult> {
    return this.call<Records.RejectRequestResult>(
      { method: "POST", path: pathOf("/api/v1.0/approvals/{id}/reject", { id }), body },
      options
    )
  }

  /** Try a template. `POST /api/v1.0/device/{hostname}/render` */
  renderTemplate(
    hostname: string | number,
    body: Records.RenderTemplateRequest = {},
    options: CallOptions = {}
  ): Promise<Records.RenderedTemplate> {
    return this.call<Records.RenderedTemplate>(
      { method: "POST", path: pathOf("/api/v1.0/device/{hostname}/render", { hostname }), body },
      options
    )
  }

  /** Renew the certificates of devices. `POST /api/v1.0/device_cert` */
  renewCertificates(body: Records.RenewCertificatesRequest, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>({ method: "POST", path: "/api/v1.0/device_cert", body, gives: "all" }, options)
  }

  /** Replace stack members. `PUT /api/v1.0/device/{hostname}/stackmember` */
  replaceStackMembers(
    hostname: string | number,
    body: Records.ReplaceStackMembersRequest,
    options: CallOptions = {}
  ): Promise<Records.ReplaceStackMembersResult> {
    return this.call<Records.ReplaceStackMembersResult>(
      { method: "PUT", path: pathOf("/api/v1.0/device/{hostname}/stackmember", { hostname }), body },
      options
    )
  }

  /** Try all dead messages again. `POST /api/v1.0/alerts/replay` */
  replayDeliveries(
    body: Records.ReplayDeliveriesRequest = {},
    options: CallOptions = {}
  ): Promise<Records.ReplayDeliveriesResult> {
    return this.call<Records.ReplayDeliveriesResult>({ method: "POST", path: "/api/v1.0/alerts/replay", body }, options)
  }

  /** Try a dead message again. `POST /api/v1.0/alerts/deliveries/{id}/replay` */
  replayDelivery(id: string | number, options: CallOptions = {}): Promise<Records.ReplayDeliveryResult> {
    return this.call<Records.ReplayDeliveryResult>(
      { method: "POST", path: pathOf("/api/v1.0/alerts/deliveries/{id}/replay", { id }) },
      options
    )
  }

  /** Report an event of the forge. `POST /api/v1.0/forge/events` */
  reportForgeEvent(
    body: Readonly<Record<string, unknown>>,
    options: CallOptions = {}
  ): Promise<Records.ForgeEventOutcome> {
    return this.call<Records.ForgeEventOutcome>({ method: "POST", path: "/api/v1.0/forge/events", body }, options)
  }

  /** Report a lease. `POST /api/v1.0/dhcp_leases` */
  reportLease(body: Records.ReportLeaseRequest, options: CallOptions = {}): Promise<Records.ReportLeaseResult> {
    return this.call<Records.ReportLeaseResult>({ method: "POST", path: "/api/v1.0/dhcp_leases", body }, options)
  }

  /** Restore an earlier configuration. `POST /api/v1.0/device/{hostname}/previous_config` */
  restoreConfig(
    hostname: string | number,
    body: Records.RestoreConfigRequest,
    options: CallOptions = {}
  ): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: pathOf("/api/v1.0/device/{hostname}/previous_config", { hostname }), body, gives: "all" },
      options
    )
  }

  /** Revert a job. `POST /api/v1.0/job/{id}/revert` */
  revertJob(id: number, body: Records.RevertJobRequest = {}, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: pathOf("/api/v1.0/job/{id}/revert", { id }), body, gives: "all" },
      options
    )
  }

  /** Revoke a certificate. `POST /api/v1.0/certificate/{serial}/revoke` */
  revokeCertificate(
    serial: string | number,
    body: Records.RevokeCertificateRequest = {},
    options: CallOptions = {}
  ): Promise<Records.RevokeCertificateResult> {
    return this.call<Records.RevokeCertificateResult>(
      { method: "POST", path: pathOf("/api/v1.0/certificate/{serial}/revoke", { serial }), body },
      options
    )
  }

  /** Revoke a token. `DELETE /api/v1.0/auth/tokens/{id}` */
  revokeToken(id: number, options: CallOptions = {}): Promise<Records.RevokeTokenResult> {
    return this.call<Records.RevokeTokenResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/auth/tokens/{id}", { id }) },
      options
    )
  }

  /** Save a view of a list. `POST /api/v1.0/views` */
  saveView(body: Records.SaveViewRequest, options: CallOptions = {}): Promise<Records.SaveViewResult> {
    return this.call<Records.SaveViewResult>({ method: "POST", path: "/api/v1.0/views", body }, options)
  }

  /** Search the stored configurations. `GET /api/v1.0/configs` */
  searchConfigs(
    query: Records.SearchConfigsQuery = {},
    options: CallOptions = {}
  ): Promise<Records.SearchConfigsResult> {
    return this.call<Records.SearchConfigsResult>({ method: "GET", path: "/api/v1.0/configs", query }, options)
  }

  /** Make an image the default of its family. `POST /api/v1.0/firmware/{filename}/set-default` */
  setDefaultFirmware(filename: string | number, options: CallOptions = {}): Promise<unknown> {
    return this.call<unknown>(
      { method: "POST", path: pathOf("/api/v1.0/firmware/{filename}/set-default", { filename }) },
      options
    )
  }

  /** Set what is not set yet. `PUT /api/v1.0/setup` */
  setUp(body: Records.SetUpRequest = {}, options: CallOptions = {}): Promise<Records.SetUpResult> {
    return this.call<Records.SetUpResult>({ method: "PUT", path: "/api/v1.0/setup", body }, options)
  }

  /** Synchronize one device. `POST /api/v1.0/device_syncto/hostname/{hostname}` */
  syncDevice(
    hostname: string | number,
    body: Records.SyncDeviceRequest = {},
    options: CallOptions = {}
  ): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: pathOf("/api/v1.0/device_syncto/hostname/{hostname}", { hostname }), body, gives: "all" },
      options
    )
  }

  /** Synchronize devices. `POST /api/v1.0/device_syncto` */
  syncDevices(body: Records.SyncDevicesRequest = {}, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/device_syncto", body, gives: "all" },
      options
    )
  }

  /** Test plugins. `PUT /api/v1.0/plugins` */
  testPlugins(body: Records.TestPluginsRequest, options: CallOptions = {}): Promise<Records.TestPluginsResult> {
    return this.call<Records.TestPluginsResult>({ method: "PUT", path: "/api/v1.0/plugins", body }, options)
  }

  /** Send a test message. `POST /api/v1.0/alerts/receivers/{name}/test` */
  testReceiver(name: string | number, options: CallOptions = {}): Promise<Records.TestReceiverResult> {
    return this.call<Records.TestReceiverResult>(
      { method: "POST", path: pathOf("/api/v1.0/alerts/receivers/{name}/test", { name }) },
      options
    )
  }

  /** Accept the identity of a device. `POST /api/v1.0/device/{hostname}/trust` */
  trustDevice(
    hostname: string | number,
    body: Records.TrustDeviceRequest = {},
    options: CallOptions = {}
  ): Promise<Records.TrustDeviceResult> {
    return this.call<Records.TrustDeviceResult>(
      { method: "POST", path: pathOf("/api/v1.0/device/{hostname}/trust", { hostname }), body },
      options
    )
  }

  /** Try the checks of a device. `GET /api/v1.0/device/{hostname}/checks` */
  tryChecks(hostname: string | number, options: CallOptions = {}): Promise<Records.TryChecksResult> {
    return this.call<Records.TryChecksResult>(
      { method: "GET", path: pathOf("/api/v1.0/device/{hostname}/checks", { hostname }) },
      options
    )
  }

  /** Try settings before they are set. `POST /api/v1.0/setup/try` */
  trySetup(body: Records.SetUpRequest = {}, options: CallOptions = {}): Promise<Records.TrySetupResult> {
    return this.call<Records.TrySetupResult>({ method: "POST", path: "/api/v1.0/setup/try", body }, options)
  }

  /** Change a device. `PUT /api/v1.0/device/{id}` */
  updateDevice(
    id: number,
    body: Records.UpdateDeviceRequest = {},
    options: CallOptions = {}
  ): Promise<Records.UpdateDeviceResult> {
    return this.call<Records.UpdateDeviceResult>(
      { method: "PUT", path: pathOf("/api/v1.0/device/{id}", { id }), body },
      options
    )
  }

  /** Update the facts of a device. `POST /api/v1.0/device_update_facts` */
  updateFacts(body: Records.UpdateFactsRequest, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/device_update_facts", body, gives: "all" },
      options
    )
  }

  /** Update the ports of an access switch. `POST /api/v1.0/device_update_interfaces` */
  updateInterfaceDatabase(
    body: Records.UpdateInterfaceDatabaseRequest,
    options: CallOptions = {}
  ): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/device_update_interfaces", body, gives: "all" },
      options
    )
  }

  /** Change interfaces. `PUT /api/v1.0/device/{hostname}/interfaces` */
  updateInterfaces(
    hostname: string | number,
    body: Records.InterfaceChanges,
    options: CallOptions = {}
  ): Promise<Records.UpdateInterfacesResult> {
    return this.call<Records.UpdateInterfacesResult>(
      { method: "PUT", path: pathOf("/api/v1.0/device/{hostname}/interfaces", { hostname }), body },
      options
    )
  }

  /** Abort, pause or resume a job. `PUT /api/v1.0/job/{id}` */
  updateJob(id: number, body: Records.UpdateJobRequest, options: CallOptions = {}): Promise<Records.UpdateJobResult> {
    return this.call<Records.UpdateJobResult>(
      { method: "PUT", path: pathOf("/api/v1.0/job/{id}", { id }), body },
      options
    )
  }

  /** Change a link. `PUT /api/v1.0/linknet/{id}` */
  updateLinknet(
    id: number,
    body: Records.UpdateLinknetRequest = {},
    options: CallOptions = {}
  ): Promise<
    | {
        readonly status: "success"
        readonly data: { readonly updated_linknet: Records.Linknet }
        readonly warnings?: ReadonlyArray<string> | undefined
      }
    | {
        readonly status: "success"
        readonly data: { readonly unchanged_linknet: Records.Linknet }
        readonly warnings?: ReadonlyArray<string> | undefined
      }
  > {
    return this.call<
      | {
          readonly status: "success"
          readonly data: { readonly updated_linknet: Records.Linknet }
          readonly warnings?: ReadonlyArray<string> | undefined
        }
      | {
          readonly status: "success"
          readonly data: { readonly unchanged_linknet: Records.Linknet }
          readonly warnings?: ReadonlyArray<string> | undefined
        }
    >({ method: "PUT", path: pathOf("/api/v1.0/linknet/{id}", { id }), body, gives: "all" }, options)
  }

  /** Change a management domain. `PUT /api/v1.0/mgmtdomain/{id}` */
  updateMgmtDomain(
    id: number,
    body: Records.UpdateMgmtDomainRequest = {},
    options: CallOptions = {}
  ): Promise<
    | {
        readonly status: "success"
        readonly data: { readonly updated_mgmtdomain: Records.MgmtDomain }
        readonly warnings?: ReadonlyArray<string> | undefined
      }
    | {
        readonly status: "success"
        readonly data: { readonly unchanged_mgmtdomain: Records.MgmtDomain }
        readonly warnings?: ReadonlyArray<string> | undefined
      }
  > {
    return this.call<
      | {
          readonly status: "success"
          readonly data: { readonly updated_mgmtdomain: Records.MgmtDomain }
          readonly warnings?: ReadonlyArray<string> | undefined
        }
      | {
          readonly status: "success"
          readonly data: { readonly unchanged_mgmtdomain: Records.MgmtDomain }
          readonly warnings?: ReadonlyArray<string> | undefined
        }
    >({ method: "PUT", path: pathOf("/api/v1.0/mgmtdomain/{id}", { id }), body, gives: "all" }, options)
  }

  /** Change a user's roles or password, or whether they may log in. `PUT /api/v1.0/auth/users/{name}` */
  updateUser(
    name: string | number,
    body: Records.UpdateUserRequest = {},
    options: CallOptions = {}
  ): Promise<Records.UpdateUserResult> {
    return this.call<Records.UpdateUserResult>(
      { method: "PUT", path: pathOf("/api/v1.0/auth/users/{name}", { name }), body },
      options
    )
  }

  /** Upgrade the firmware of switches. `POST /api/v1.0/firmware/upgrade` */
  upgradeFirmware(body: Records.UpgradeFirmwareRequest = {}, options: CallOptions = {}): Promise<Records.JobStarted> {
    return this.call<Records.JobStarted>(
      { method: "POST", path: "/api/v1.0/firmware/upgrade", body, gives: "all" },
      options
    )
  }

  /** Verify a kept report. `GET /api/v1.0/changes/reports/{sha256}` */
  verifyChangeReport(sha256: string | number, options: CallOptions = {}): Promise<Records.VerifyChangeReportResult> {
    return this.call<Records.VerifyChangeReportResult>(
      { method: "GET", path: pathOf("/api/v1.0/changes/reports/{sha256}", { sha256 }) },
      options
    )
  }

  /** Withdraw a learnt spelling. `DELETE /api/v1.0/learned_lines/{id}` */
  withdrawLearnedLine(id: number, options: CallOptions = {}): Promise<Records.WithdrawLearnedLineResult> {
    return this.call<Records.WithdrawLearnedLineResult>(
      { method: "DELETE", path: pathOf("/api/v1.0/learned_lines/{id}", { id }) },
      options
    )
  }

  /** Withdraw a person. `POST /api/v1.0/auth/persons/withdraw` */
  withdrawPerson(body: Records.PersonRequest, options: CallOptions = {}): Promise<Records.WithdrawPersonResult> {
    return this.call<Records.WithdrawPersonResult>(
      { method: "POST", path: "/api/v1.0/auth/persons/withdraw", body },
      options
    )
  }
}
