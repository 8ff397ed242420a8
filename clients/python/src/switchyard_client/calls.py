# Made by `npm run docs` from the OpenAPI document of the server. Do not edit.
"""The calls of the API by the names of its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Literal

from .records import *  # noqa: F403
from .transport import Filter, Transport, path_of


class Calls(Transport):
    def accept_links(self, body: AcceptLinksRequest | None = None) -> AcceptLinksResult:
        """Accept proposed links. ``POST /api/v1.0/onboarding/links``"""
        return self._call("POST", "/api/v1.0/onboarding/links", body=body or {})  # type: ignore[no-any-return]

    def accept_ports(self, body: ReadOnboardedRequest | None = None) -> AcceptPortsResult:
        """Accept proposed ports. ``POST /api/v1.0/onboarding/ports``"""
        return self._call("POST", "/api/v1.0/onboarding/ports", body=body or {})  # type: ignore[no-any-return]

    def acknowledge_alert(self, id: int, body: TrustDeviceRequest | None = None) -> AcknowledgeAlertResult:
        """Take an alert on. ``POST /api/v1.0/alerts/{id}/acknowledge``"""
        return self._call("POST", path_of("/api/v1.0/alerts/{id}/acknowledge", {"id": id}), body=body or {})  # type: ignore[no-any-return]

    def add_sync_event(self, body: AddSyncEventRequest) -> AddedSyncEvent:
        """Add a reason why a device is unsynchronized. ``POST /api/v1.0/device_synchistory``"""
        return self._call("POST", "/api/v1.0/device_synchistory", body=body)  # type: ignore[no-any-return]

    def admit_person(self, body: PersonRequest) -> AdmitPersonResult:
        """Admit a person again. ``POST /api/v1.0/auth/persons/admit``"""
        return self._call("POST", "/api/v1.0/auth/persons/admit", body=body)  # type: ignore[no-any-return]

    def apply_config(self, hostname: str | int, body: ApplyConfigRequest) -> JobStarted:
        """Push a given configuration to a device. ``POST /api/v1.0/device/{hostname}/apply_config``"""
        return self._call("POST", path_of("/api/v1.0/device/{hostname}/apply_config", {"hostname": hostname}), body=body, gives="all")  # type: ignore[no-any-return]

    def approve_host_key(self, hostname: str | int, body: ApproveHostKeyRequest) -> ApproveHostKeyResult:
        """Approve the host key of a device. ``POST /api/v1.0/device/{hostname}/hostkey/approve``"""
        return self._call("POST", path_of("/api/v1.0/device/{hostname}/hostkey/approve", {"hostname": hostname}), body=body)  # type: ignore[no-any-return]

    def approve_host_keys(self, body: ApproveHostKeysRequest) -> HostKeyApprovals:
        """Approve the host keys of several devices. ``POST /api/v1.0/device_hostkeys/approve``"""
        return self._call("POST", "/api/v1.0/device_hostkeys/approve", body=body)  # type: ignore[no-any-return]

    def approve_job(self, id: int, body: DecisionRequest) -> ApproveJobResult:
        """Approve a job. ``POST /api/v1.0/job/{id}/approve``"""
        return self._call("POST", path_of("/api/v1.0/job/{id}/approve", {"id": id}), body=body)  # type: ignore[no-any-return]

    def approve_request(self, id: int, body: DecisionRequest) -> ApproveRequestResult:
        """Approve a request. ``POST /api/v1.0/approvals/{id}/approve``"""
        return self._call("POST", path_of("/api/v1.0/approvals/{id}/approve", {"id": id}), body=body)  # type: ignore[no-any-return]

    def blame_config(self, hostname: str | int) -> BlameConfigResult:
        """Show the job behind each line. ``GET /api/v1.0/device/{hostname}/config_blame``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/config_blame", {"hostname": hostname}))  # type: ignore[no-any-return]

    def blame_lines(self, hostname: str | int, *, line: int | None = None, of: str | int | None = None) -> LineOrigins:
        """Show where lines come from. ``GET /api/v1.0/device/{hostname}/blame``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/blame", {"hostname": hostname}), query={"line": line, "of": of})  # type: ignore[no-any-return]

    def bounce_interfaces(self, hostname: str | int, body: BounceInterfacesRequest) -> str:
        """Bounce ports. ``PUT /api/v1.0/device/{hostname}/interface_status``"""
        return self._call("PUT", path_of("/api/v1.0/device/{hostname}/interface_status", {"hostname": hostname}), body=body)  # type: ignore[no-any-return]

    def change_ports(self, body: ChangePortsRequest) -> PortFileResult:
        """Change ports of several switches. ``POST /api/v1.0/interfaces/bulk``"""
        return self._call("POST", "/api/v1.0/interfaces/bulk", body=body)  # type: ignore[no-any-return]

    def check_audit_chain(self) -> AuditChain:
        """Check the chain of the audit. ``GET /api/v1.0/audit/chain``"""
        return self._call("GET", "/api/v1.0/audit/chain")  # type: ignore[no-any-return]

    def check_branch(self, name: Literal["settings", "templates"], body: CheckBranchRequest | None = None) -> CheckedBranch:
        """Check a branch before it is merged. ``POST /api/v1.0/repository/{name}/check``"""
        return self._call("POST", path_of("/api/v1.0/repository/{name}/check", {"name": name}), body=body or {})  # type: ignore[no-any-return]

    def check_device_init(self, id: int, body: InitDeviceRequest) -> dict[str, Any]:
        """Check whether a device could be initialised. ``POST /api/v1.0/device_initcheck/{id}``"""
        return self._call("POST", path_of("/api/v1.0/device_initcheck/{id}", {"id": id}), body=body)  # type: ignore[no-any-return]

    def check_drift(self, body: CheckDriftRequest | None = None) -> JobStarted:
        """Check for drift. ``POST /api/v1.0/device_drift``"""
        return self._call("POST", "/api/v1.0/device_drift", body=body or {}, gives="all")  # type: ignore[no-any-return]

    def check_settings(self, body: dict[str, Any]) -> dict[str, Any]:
        """Check settings. ``POST /api/v1.0/settings/model``"""
        return self._call("POST", "/api/v1.0/settings/model", body=body)  # type: ignore[no-any-return]

    def check_settings_file(self, file: str | int, body: dict[str, Any]) -> dict[str, Any]:
        """Check one settings file. ``POST /api/v1.0/settings/model/{file}``"""
        return self._call("POST", path_of("/api/v1.0/settings/model/{file}", {"file": file}), body=body)  # type: ignore[no-any-return]

    def check_upgrade(self, body: CheckUpgradeRequest) -> UpgradeOrder:
        """Show the order of a staggered upgrade. ``POST /api/v1.0/firmware/upgradecheck``"""
        return self._call("POST", "/api/v1.0/firmware/upgradecheck", body=body)  # type: ignore[no-any-return]

    def checksum_firmware(self, filename: str | int) -> JobStarted:
        """Compute the checksum of an image. ``GET /api/v1.0/firmware/{filename}``"""
        return self._call("GET", path_of("/api/v1.0/firmware/{filename}", {"filename": filename}), gives="all")  # type: ignore[no-any-return]

    def clear_lock(self, body: ClearLockRequest) -> ClearLockResult:
        """Clear a lock. ``DELETE /api/v1.0/joblocks``"""
        return self._call("DELETE", "/api/v1.0/joblocks", body=body)  # type: ignore[no-any-return]

    def close_proposal(self, id: int) -> CloseProposalResult:
        """Close a proposal. ``DELETE /api/v1.0/proposals/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/proposals/{id}", {"id": id}))  # type: ignore[no-any-return]

    def close_session(self) -> EndedSession:
        """Sign off in the page. ``DELETE /api/v1.0/auth/session``"""
        return self._call("DELETE", "/api/v1.0/auth/session")  # type: ignore[no-any-return]

    def create_certificate_authority(self, body: CreateCertificateAuthorityRequest | None = None) -> CreateCertificateAuthorityResult:
        """Create a certificate authority. ``POST /api/v1.0/certificate_authority``"""
        return self._call("POST", "/api/v1.0/certificate_authority", body=body or {})  # type: ignore[no-any-return]

    def create_device(self, body: CreateDeviceRequest) -> CreateDeviceResult:
        """Create a device. ``POST /api/v1.0/device``"""
        return self._call("POST", "/api/v1.0/device", body=body)  # type: ignore[no-any-return]

    def create_linknet(self, body: CreateLinknetRequest) -> Linknet:
        """Create a link. ``POST /api/v1.0/linknets``"""
        return self._call("POST", "/api/v1.0/linknets", body=body)  # type: ignore[no-any-return]

    def create_mgmt_domain(self, body: CreateMgmtDomainRequest | None = None) -> CreateMgmtDomainResult:
        """Create a management domain. ``POST /api/v1.0/mgmtdomains``"""
        return self._call("POST", "/api/v1.0/mgmtdomains", body=body or {})  # type: ignore[no-any-return]

    def create_mute(self, body: CreateMuteRequest) -> CreateMuteResult:
        """Mute alerts for some time. ``POST /api/v1.0/alerts/mutes``"""
        return self._call("POST", "/api/v1.0/alerts/mutes", body=body)  # type: ignore[no-any-return]

    def create_token(self, body: CreateTokenRequest) -> CreateTokenResult:
        """Create a token for a program. ``POST /api/v1.0/auth/tokens``"""
        return self._call("POST", "/api/v1.0/auth/tokens", body=body)  # type: ignore[no-any-return]

    def create_user(self, body: CreateUserRequest) -> CreateUserResult:
        """Add a user with a password. ``POST /api/v1.0/auth/users``"""
        return self._call("POST", "/api/v1.0/auth/users", body=body)  # type: ignore[no-any-return]

    def delete_device(self, id: int, body: DeleteDeviceRequest | None = None) -> DeleteDeviceResult | JobStarted:
        """Delete a device. ``DELETE /api/v1.0/device/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/device/{id}", {"id": id}), body=body or {}, gives="all")  # type: ignore[no-any-return]

    def delete_firmware(self, filename: str | int) -> JobStarted:
        """Remove an image. ``DELETE /api/v1.0/firmware/{filename}``"""
        return self._call("DELETE", path_of("/api/v1.0/firmware/{filename}", {"filename": filename}), gives="all")  # type: ignore[no-any-return]

    def delete_linknet(self, id: int) -> DeleteLinknetResult:
        """Delete a link. ``DELETE /api/v1.0/linknet/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/linknet/{id}", {"id": id}))  # type: ignore[no-any-return]

    def delete_linknet_by_body(self, body: DeleteLinknetByBodyRequest) -> DeleteLinknetByBodyResult:
        """Delete a link (old form). ``DELETE /api/v1.0/linknets``"""
        return self._call("DELETE", "/api/v1.0/linknets", body=body)  # type: ignore[no-any-return]

    def delete_mgmt_domain(self, id: int) -> DeleteMgmtDomainResult:
        """Delete a management domain. ``DELETE /api/v1.0/mgmtdomain/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/mgmtdomain/{id}", {"id": id}))  # type: ignore[no-any-return]

    def delete_mute(self, id: int) -> DeleteMuteResult:
        """Remove a mute. ``DELETE /api/v1.0/alerts/mutes/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/alerts/mutes/{id}", {"id": id}))  # type: ignore[no-any-return]

    def delete_user(self, name: str | int) -> DeleteUserResult:
        """Remove a user. ``DELETE /api/v1.0/auth/users/{name}``"""
        return self._call("DELETE", path_of("/api/v1.0/auth/users/{name}", {"name": name}))  # type: ignore[no-any-return]

    def delete_view(self, id: int) -> DeleteViewResult:
        """Remove a saved view. ``DELETE /api/v1.0/views/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/views/{id}", {"id": id}))  # type: ignore[no-any-return]

    def diff_configs(self, hostname: str | int, *, from_: str | int | None = None, to: str | int | None = None, other: str | int | None = None) -> DiffConfigsResult:
        """Compare two configurations. ``GET /api/v1.0/device/{hostname}/config_diff``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/config_diff", {"hostname": hostname}), query={"from": from_, "to": to, "other": other})  # type: ignore[no-any-return]

    def discover_device(self, body: DiscoverDeviceRequest) -> JobStarted:
        """Discover a device. ``POST /api/v1.0/device_discover``"""
        return self._call("POST", "/api/v1.0/device_discover", body=body, gives="all")  # type: ignore[no-any-return]

    def discover_device_alias(self, body: DiscoverDeviceRequest) -> JobStarted:
        """Discover a device (second name). ``POST /api/v1.0/discover_device``"""
        return self._call("POST", "/api/v1.0/discover_device", body=body, gives="all")  # type: ignore[no-any-return]

    def download_firmware(self, body: DownloadFirmwareRequest) -> JobStarted:
        """Download a firmware image. ``POST /api/v1.0/firmware``"""
        return self._call("POST", "/api/v1.0/firmware", body=body, gives="all")  # type: ignore[no-any-return]

    def explain_permission(self, *, method: str | int | None = None, path: str | int | None = None, device: str | int | None = None, person: str | int | None = None) -> Explanation:
        """Check whether you or another person may make a call. ``GET /api/v1.0/auth/explain``"""
        return self._call("GET", "/api/v1.0/auth/explain", query={"method": method, "path": path, "device": device, "person": person})  # type: ignore[no-any-return]

    def export_interfaces(self, hostname: str | int, *, include_uplinks: str | int | None = None, include_downlinks: str | int | None = None, include_descriptions: str | int | None = None) -> ExportedInterfaces:
        """Download a device's interfaces. ``GET /api/v1.0/device/{hostname}/interfaces_export``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/interfaces_export", {"hostname": hostname}), query={"include_uplinks": include_uplinks, "include_downlinks": include_downlinks, "include_descriptions": include_descriptions}, gives="all")  # type: ignore[no-any-return]

    def find(self, *, q: str | int | None = None) -> FindAnswer:
        """Find a machine, a device or a port. ``GET /api/v1.0/find``"""
        return self._call("GET", "/api/v1.0/find", query={"q": q})  # type: ignore[no-any-return]

    def generate_config(self, hostname: str | int) -> GenerateConfigResult:
        """Preview a device's configuration. ``GET /api/v1.0/device/{hostname}/generate_config``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/generate_config", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_alerts(self) -> AlertOverview:
        """Show alerts. ``GET /api/v1.0/alerts``"""
        return self._call("GET", "/api/v1.0/alerts")  # type: ignore[no-any-return]

    def get_attention(self) -> Attention:
        """What needs a person now, the most urgent first. ``GET /api/v1.0/attention``"""
        return self._call("GET", "/api/v1.0/attention")  # type: ignore[no-any-return]

    def get_certificate_authority(self) -> GetCertificateAuthorityResult:
        """Show the certificate authority. ``GET /api/v1.0/certificate_authority``"""
        return self._call("GET", "/api/v1.0/certificate_authority")  # type: ignore[no-any-return]

    def get_change_report(self, id: int, *, format: str | int | None = None) -> GetChangeReportResult:
        """Read the report of a change. ``GET /api/v1.0/changes/{id}/report``"""
        return self._call("GET", path_of("/api/v1.0/changes/{id}/report", {"id": id}), query={"format": format})  # type: ignore[no-any-return]

    def get_checks(self) -> ChecksInForce:
        """Show the checks of changes. ``GET /api/v1.0/checks``"""
        return self._call("GET", "/api/v1.0/checks")  # type: ignore[no-any-return]

    def get_device(self, id: str | int) -> GetDeviceResult:
        """Read one device. ``GET /api/v1.0/device/{id}``"""
        return self._call("GET", path_of("/api/v1.0/device/{id}", {"id": id}))  # type: ignore[no-any-return]

    def get_device_actor(self, hostname: str | int) -> DeviceActor:
        """Show what a device is doing. ``GET /api/v1.0/device/{hostname}/actor``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/actor", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_group(self, name: str | int) -> Groups:
        """Read one group. ``GET /api/v1.0/groups/{name}``"""
        return self._call("GET", path_of("/api/v1.0/groups/{name}", {"name": name}))  # type: ignore[no-any-return]

    def get_group_os_versions(self, name: str | int) -> GetGroupOsVersionsResult:
        """Operating systems of a group. ``GET /api/v1.0/groups/{name}/os_versions``"""
        return self._call("GET", path_of("/api/v1.0/groups/{name}/os_versions", {"name": name}))  # type: ignore[no-any-return]

    def get_group_os_versions_alias(self, name: str | int) -> GetGroupOsVersionsAliasResult:
        """Operating systems of a group (second name). ``GET /api/v1.0/groups/{name}/os_version``"""
        return self._call("GET", path_of("/api/v1.0/groups/{name}/os_version", {"name": name}))  # type: ignore[no-any-return]

    def get_health(self) -> HealthReport:
        """Read the health. ``GET /api/health``"""
        return self._call("GET", "/api/health", gives="all")  # type: ignore[no-any-return]

    def get_host_key(self, hostname: str | int) -> GetHostKeyResult:
        """Show the pinned host key. ``GET /api/v1.0/device/{hostname}/host_key``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/host_key", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_identity(self) -> str:
        """Read your identity. ``GET /api/v1.0/auth/identity``"""
        return self._call("GET", "/api/v1.0/auth/identity", gives="all")  # type: ignore[no-any-return]

    def get_interface_status(self, hostname: str | int) -> GetInterfaceStatusResult:
        """Read the states of the ports. ``GET /api/v1.0/device/{hostname}/interface_status``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/interface_status", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_job(self, id: int, *, filter_jobresult: str | int | None = None, show_secrets: str | int | None = None) -> GetJobResult:
        """Read one job. ``GET /api/v1.0/job/{id}``"""
        return self._call("GET", path_of("/api/v1.0/job/{id}", {"id": id}), query={"filter_jobresult": filter_jobresult, "show_secrets": show_secrets})  # type: ignore[no-any-return]

    def get_job_checks(self, id: int) -> JobChecks:
        """Read the checks of a job, in groups. ``GET /api/v1.0/job/{id}/checks``"""
        return self._call("GET", path_of("/api/v1.0/job/{id}/checks", {"id": id}))  # type: ignore[no-any-return]

    def get_job_diffs(self, id: int, *, search: str | int | None = None, group: str | int | None = None) -> JobDiffs:
        """Read the differences of a job, in groups. ``GET /api/v1.0/job/{id}/diffs``"""
        return self._call("GET", path_of("/api/v1.0/job/{id}/diffs", {"id": id}), query={"search": search, "group": group})  # type: ignore[no-any-return]

    def get_job_progress(self, id: int, *, brief: str | int | None = None) -> JobProgress:
        """Read the progress of a job by device. ``GET /api/v1.0/job/{id}/progress``"""
        return self._call("GET", path_of("/api/v1.0/job/{id}/progress", {"id": id}), query={"brief": brief})  # type: ignore[no-any-return]

    def get_job_scope(self, id: int) -> JobScope:
        """Read what a job is about. ``GET /api/v1.0/job/{id}/scope``"""
        return self._call("GET", path_of("/api/v1.0/job/{id}/scope", {"id": id}))  # type: ignore[no-any-return]

    def get_linknet(self, id: int) -> GetLinknetResult:
        """Read one link. ``GET /api/v1.0/linknet/{id}``"""
        return self._call("GET", path_of("/api/v1.0/linknet/{id}", {"id": id}))  # type: ignore[no-any-return]

    def get_liveness(self) -> HealthReport:
        """Is the process alive. ``GET /api/health/live``"""
        return self._call("GET", "/api/health/live", gives="all")  # type: ignore[no-any-return]

    def get_lldp_neighbor_details(self, hostname: str | int) -> GetLldpNeighborDetailsResult:
        """Read everything that LLDP neighbours announce. ``GET /api/v1.0/device/{hostname}/lldp_neighbors_detail``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/lldp_neighbors_detail", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_lldp_neighbors(self, hostname: str | int) -> GetLldpNeighborsResult:
        """Read the LLDP neighbours. ``GET /api/v1.0/device/{hostname}/lldp_neighbors``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/lldp_neighbors", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_metrics(self) -> str:
        """Read the metrics. ``GET /metrics``"""
        return self._call("GET", "/metrics", gives="text")  # type: ignore[no-any-return]

    def get_mgmt_domain(self, id: int) -> GetMgmtDomainResult:
        """Read one management domain. ``GET /api/v1.0/mgmtdomain/{id}``"""
        return self._call("GET", path_of("/api/v1.0/mgmtdomain/{id}", {"id": id}))  # type: ignore[no-any-return]

    def get_optics(self, hostname: str | int) -> GetOpticsResult:
        """Read the light levels of transceivers. ``GET /api/v1.0/device/{hostname}/optics``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/optics", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_overview(self) -> Overview:
        """Count devices and jobs by state. ``GET /api/v1.0/overview``"""
        return self._call("GET", "/api/v1.0/overview")  # type: ignore[no-any-return]

    def get_overview_history(self, *, hours: str | int | None = None, step: str | int | None = None) -> OverviewHistory:
        """Counts of devices over time. ``GET /api/v1.0/overview/history``"""
        return self._call("GET", "/api/v1.0/overview/history", query={"hours": hours, "step": step})  # type: ignore[no-any-return]

    def get_port_options(self, hostname: str | int) -> PortOptions:
        """List what ports can be given. ``GET /api/v1.0/device/{hostname}/port_options``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/port_options", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_port_readings(self, hostname: str | int, *, max_age: str | int | None = None) -> PortReadings:
        """Read the ports as last read. ``GET /api/v1.0/device/{hostname}/port_readings``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/port_readings", {"hostname": hostname}), query={"max_age": max_age})  # type: ignore[no-any-return]

    def get_previous_config(self, hostname: str | int, *, job_id: int | None = None, previous: int | None = None, before: str | int | None = None) -> PreviousConfig:
        """Read an earlier configuration. ``GET /api/v1.0/device/{hostname}/previous_config``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/previous_config", {"hostname": hostname}), query={"job_id": job_id, "previous": previous, "before": before})  # type: ignore[no-any-return]

    def get_proposal(self, id: int) -> GetProposalResult:
        """Read a proposal. ``GET /api/v1.0/proposals/{id}``"""
        return self._call("GET", path_of("/api/v1.0/proposals/{id}", {"id": id}))  # type: ignore[no-any-return]

    def get_readiness(self) -> HealthReport:
        """Can the server work. ``GET /api/health/ready``"""
        return self._call("GET", "/api/health/ready", gives="all")  # type: ignore[no-any-return]

    def get_readings(self, hostname: str | int, *, reads: str | int | None = None, severity: str | int | None = None, seconds: str | int | None = None, to: str | int | None = None, source: str | int | None = None, vrf: str | int | None = None, count: str | int | None = None) -> GetReadingsResult:
        """Read the state of a device. ``GET /api/v1.0/device/{hostname}/readings``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/readings", {"hostname": hostname}), query={"reads": reads, "severity": severity, "seconds": seconds, "to": to, "source": source, "vrf": vrf, "count": count})  # type: ignore[no-any-return]

    def get_replica_health(self) -> HealthReport:
        """Check whether all replicas work together. ``GET /api/health/replicas``"""
        return self._call("GET", "/api/health/replicas", gives="all")  # type: ignore[no-any-return]

    def get_repository(self, name: Literal["settings", "templates"]) -> GetRepositoryResult:
        """Read a repository's commit. ``GET /api/v1.0/repository/{name}``"""
        return self._call("GET", path_of("/api/v1.0/repository/{name}", {"name": name}), gives="all")  # type: ignore[no-any-return]

    def get_repository_file(self, name: Literal["settings", "templates"], *, path: str | int | None = None, branch: str | int | None = None, commit: str | int | None = None) -> RepositoryFileText:
        """Read a file in force. ``GET /api/v1.0/repository/{name}/file``"""
        return self._call("GET", path_of("/api/v1.0/repository/{name}/file", {"name": name}), query={"path": path, "branch": branch, "commit": commit})  # type: ignore[no-any-return]

    def get_repository_problems(self, name: Literal["settings", "templates"]) -> GetRepositoryProblemsResult:
        """Read a repository's problems. ``GET /api/v1.0/repository/{name}/problems``"""
        return self._call("GET", path_of("/api/v1.0/repository/{name}/problems", {"name": name}))  # type: ignore[no-any-return]

    def get_running_config(self, hostname: str | int, *, interface: str | int | None = None) -> GetRunningConfigResult:
        """Read the running configuration. ``GET /api/v1.0/device/{hostname}/running_config``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/running_config", {"hostname": hostname}), query={"interface": interface})  # type: ignore[no-any-return]

    def get_server_settings(self) -> GetServerSettingsResult:
        """Read the server's configuration. ``GET /api/v1.0/settings/server``"""
        return self._call("GET", "/api/v1.0/settings/server", gives="all")  # type: ignore[no-any-return]

    def get_server_status(self) -> ServerStatus:
        """Read the status of the server. ``GET /api/v1.0/system/status``"""
        return self._call("GET", "/api/v1.0/system/status")  # type: ignore[no-any-return]

    def get_settings(self, *, hostname: str | int | None = None, device_type: str | int | None = None) -> EffectiveSettings:
        """Read effective settings. ``GET /api/v1.0/settings``"""
        return self._call("GET", "/api/v1.0/settings", query={"hostname": hostname, "device_type": device_type})  # type: ignore[no-any-return]

    def get_settings_file_model(self, file: str | int) -> dict[str, Any]:
        """Read the model of one settings file. ``GET /api/v1.0/settings/model/{file}``"""
        return self._call("GET", path_of("/api/v1.0/settings/model/{file}", {"file": file}), gives="all")  # type: ignore[no-any-return]

    def get_settings_model(self) -> dict[str, Any]:
        """Read the model of the settings. ``GET /api/v1.0/settings/model``"""
        return self._call("GET", "/api/v1.0/settings/model", gives="all")  # type: ignore[no-any-return]

    def get_statecharts(self) -> Statecharts:
        """Show the statecharts of a device. ``GET /api/v1.0/statecharts``"""
        return self._call("GET", "/api/v1.0/statecharts")  # type: ignore[no-any-return]

    def get_sync_history(self, *, hostname: str | int | None = None) -> GetSyncHistoryResult:
        """Read why devices are unsynchronized. ``GET /api/v1.0/device_synchistory``"""
        return self._call("GET", "/api/v1.0/device_synchistory", query={"hostname": hostname})  # type: ignore[no-any-return]

    def get_template_variables(self, hostname: str | int) -> TemplateVariables:
        """Read the template variables of a device. ``GET /api/v1.0/device/{hostname}/variables``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/variables", {"hostname": hostname}))  # type: ignore[no-any-return]

    def get_topology(self) -> Topology:
        """The network as planned and seen. ``GET /api/v1.0/topology``"""
        return self._call("GET", "/api/v1.0/topology")  # type: ignore[no-any-return]

    def get_upgrade_progress(self, id: int) -> UpgradeProgress:
        """Read the progress of an upgrade. ``GET /api/v1.0/job/{id}/upgrade``"""
        return self._call("GET", path_of("/api/v1.0/job/{id}/upgrade", {"id": id}))  # type: ignore[no-any-return]

    def get_version(self) -> Version:
        """Read the version. ``GET /api/v1.0/system/version``"""
        return self._call("GET", "/api/v1.0/system/version")  # type: ignore[no-any-return]

    def get_windows(self, *, device: str | int | None = None, group: str | int | None = None) -> WindowOverview:
        """Show the windows. ``GET /api/v1.0/windows``"""
        return self._call("GET", "/api/v1.0/windows", query={"device": device, "group": group})  # type: ignore[no-any-return]

    def ignore_new_device(self, id: int, body: IgnoreNewDeviceRequest) -> IgnoreNewDeviceResult:
        """Ignore a new switch. ``PUT /api/v1.0/new_devices/{id}``"""
        return self._call("PUT", path_of("/api/v1.0/new_devices/{id}", {"id": id}), body=body)  # type: ignore[no-any-return]

    def init_device(self, id: int, body: InitDeviceRequest) -> JobStarted:
        """Initialise a discovered device. ``POST /api/v1.0/device_init/{id}``"""
        return self._call("POST", path_of("/api/v1.0/device_init/{id}", {"id": id}), body=body, gives="all")  # type: ignore[no-any-return]

    def init_devices(self, body: InitDevicesRequest) -> InitDevicesResult:
        """Initialise several switches. ``POST /api/v1.0/new_devices``"""
        return self._call("POST", "/api/v1.0/new_devices", body=body)  # type: ignore[no-any-return]

    def list_approvals(self) -> ListApprovalsResult:
        """List requests that wait for another person. ``GET /api/v1.0/approvals``"""
        return self._call("GET", "/api/v1.0/approvals")  # type: ignore[no-any-return]

    def list_audit_events(self, *, sort: Literal["id", "-id", "at", "-at", "device_id", "-device_id", "job_id", "-job_id", "kind", "-kind", "action", "-action", "actor", "-actor", "way", "-way", "address", "-address", "hostname", "-hostname"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> ListAuditEventsResult:
        """List the audit. ``GET /api/v1.0/audit``"""
        return self._call("GET", "/api/v1.0/audit", query={"sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)  # type: ignore[no-any-return]

    def all_audit_events(self, *, sort: Literal["id", "-id", "at", "-at", "device_id", "-device_id", "job_id", "-job_id", "kind", "-kind", "action", "-action", "actor", "-actor", "way", "-way", "address", "-address", "hostname", "-hostname"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> Iterator[AuditEvent]:
        """The same, record by record, with all pages."""
        return self._pages("events", "GET", "/api/v1.0/audit", query={"sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)

    def list_branches(self, name: Literal["settings", "templates"], *, limit: int | None = None) -> RepositoryBranches:
        """List a repository's branches. ``GET /api/v1.0/repository/{name}/branches``"""
        return self._call("GET", path_of("/api/v1.0/repository/{name}/branches", {"name": name}), query={"limit": limit})  # type: ignore[no-any-return]

    def list_certificates(self, *, hostname: str | int | None = None) -> ListCertificatesResult:
        """List the certificates of devices. ``GET /api/v1.0/certificates``"""
        return self._call("GET", "/api/v1.0/certificates", query={"hostname": hostname})  # type: ignore[no-any-return]

    def list_commits(self, name: Literal["settings", "templates"], *, limit: int | None = None) -> CommitsOfRepository:
        """List a repository's commits. ``GET /api/v1.0/repository/{name}/commits``"""
        return self._call("GET", path_of("/api/v1.0/repository/{name}/commits", {"name": name}), query={"limit": limit})  # type: ignore[no-any-return]

    def list_configs(self, hostname: str | int) -> ListConfigsResult:
        """List a device's stored configurations. ``GET /api/v1.0/device/{hostname}/configs``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/configs", {"hostname": hostname}))  # type: ignore[no-any-return]

    def list_deliveries(self, *, state: str | int | None = None, receiver: str | int | None = None, sort: Literal["id", "-id", "alert_id", "-alert_id", "attempts", "-attempts", "created_at", "-created_at", "ended_at", "-ended_at", "rule", "-rule", "receiver", "-receiver", "action", "-action", "state", "-state", "answer", "-answer"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> ListDeliveriesResult:
        """List messages to receivers. ``GET /api/v1.0/alerts/deliveries``"""
        return self._call("GET", "/api/v1.0/alerts/deliveries", query={"state": state, "receiver": receiver, "sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)  # type: ignore[no-any-return]

    def all_deliveries(self, *, state: str | int | None = None, receiver: str | int | None = None, sort: Literal["id", "-id", "alert_id", "-alert_id", "attempts", "-attempts", "created_at", "-created_at", "ended_at", "-ended_at", "rule", "-rule", "receiver", "-receiver", "action", "-action", "state", "-state", "answer", "-answer"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> Iterator[Delivery]:
        """The same, record by record, with all pages."""
        return self._pages("deliveries", "GET", "/api/v1.0/alerts/deliveries", query={"state": state, "receiver": receiver, "sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)

    def list_device_audit_events(self, hostname: str | int, *, sort: Literal["id", "-id", "at", "-at", "device_id", "-device_id", "job_id", "-job_id", "kind", "-kind", "action", "-action", "actor", "-actor", "way", "-way", "address", "-address", "hostname", "-hostname"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> ListDeviceAuditEventsResult:
        """Read the history of a device. ``GET /api/v1.0/device/{hostname}/audit``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/audit", {"hostname": hostname}), query={"sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)  # type: ignore[no-any-return]

    def all_device_audit_events(self, hostname: str | int, *, sort: Literal["id", "-id", "at", "-at", "device_id", "-device_id", "job_id", "-job_id", "kind", "-kind", "action", "-action", "actor", "-actor", "way", "-way", "address", "-address", "hostname", "-hostname"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> Iterator[AuditEvent]:
        """The same, record by record, with all pages."""
        return self._pages("events", "GET", path_of("/api/v1.0/device/{hostname}/audit", {"hostname": hostname}), query={"sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)

    def list_devices(self, *, sort: Literal["unsynchronized_by", "-unsynchronized_by", "drifted", "-drifted", "unreachable", "-unreachable", "in_change", "-in_change", "search", "-search", "manageable", "-manageable", "group", "-group", "id", "-id", "site_id", "-site_id", "port", "-port", "hostname", "-hostname", "description", "-description", "management_ip", "-management_ip", "secondary_management_ip", "-secondary_management_ip", "dhcp_ip", "-dhcp_ip", "infra_ip", "-infra_ip", "oob_ip", "-oob_ip", "ztp_mac", "-ztp_mac", "serial", "-serial", "platform", "-platform", "vendor", "-vendor", "model", "-model", "os_version", "-os_version", "confhash", "-confhash", "synchronized", "-synchronized", "state", "-state", "device_type", "-device_type", "last_seen", "-last_seen"] | None = None, page: int | None = None, per_page: int | None = None, filter: Filter | None = None) -> ListDevicesResult:
        """List devices. ``GET /api/v1.0/devices``"""
        return self._call("GET", "/api/v1.0/devices", query={"sort": sort, "page": page, "per_page": per_page}, filter=filter)  # type: ignore[no-any-return]

    def all_devices(self, *, sort: Literal["unsynchronized_by", "-unsynchronized_by", "drifted", "-drifted", "unreachable", "-unreachable", "in_change", "-in_change", "search", "-search", "manageable", "-manageable", "group", "-group", "id", "-id", "site_id", "-site_id", "port", "-port", "hostname", "-hostname", "description", "-description", "management_ip", "-management_ip", "secondary_management_ip", "-secondary_management_ip", "dhcp_ip", "-dhcp_ip", "infra_ip", "-infra_ip", "oob_ip", "-oob_ip", "ztp_mac", "-ztp_mac", "serial", "-serial", "platform", "-platform", "vendor", "-vendor", "model", "-model", "os_version", "-os_version", "confhash", "-confhash", "synchronized", "-synchronized", "state", "-state", "device_type", "-device_type", "last_seen", "-last_seen"] | None = None, page: int | None = None, per_page: int | None = None, filter: Filter | None = None) -> Iterator[Device]:
        """The same, record by record, with all pages."""
        return self._pages("devices", "GET", "/api/v1.0/devices", query={"sort": sort, "page": page, "per_page": per_page}, filter=filter)

    def list_events(self, *, kind: str | int | None = None, device: str | int | None = None, group: str | int | None = None, job: int | None = None, since: int | None = None, limit: int | None = None) -> EventPage:
        """Read or follow events. ``GET /api/v1.0/events``"""
        return self._call("GET", "/api/v1.0/events", query={"kind": kind, "device": device, "group": group, "job": job, "since": since, "limit": limit})  # type: ignore[no-any-return]

    def list_findings(self) -> ListFindingsResult:
        """List the findings of the doctor. ``GET /api/v1.0/system/findings``"""
        return self._call("GET", "/api/v1.0/system/findings")  # type: ignore[no-any-return]

    def list_firmware(self) -> ListFirmwareResult:
        """List firmware images. ``GET /api/v1.0/firmware``"""
        return self._call("GET", "/api/v1.0/firmware")  # type: ignore[no-any-return]

    def list_firmware_images(self) -> FirmwareImages:
        """List images with their downloads. ``GET /api/v1.0/firmware_images``"""
        return self._call("GET", "/api/v1.0/firmware_images")  # type: ignore[no-any-return]

    def list_firmware_versions(self) -> ListFirmwareVersionsResult:
        """Count versions by group. ``GET /api/v1.0/firmware_versions``"""
        return self._call("GET", "/api/v1.0/firmware_versions")  # type: ignore[no-any-return]

    def list_groups(self) -> Groups:
        """List groups. ``GET /api/v1.0/groups``"""
        return self._call("GET", "/api/v1.0/groups")  # type: ignore[no-any-return]

    def list_interfaces(self, hostname: str | int) -> ListInterfacesResult:
        """List a device's interfaces. ``GET /api/v1.0/device/{hostname}/interfaces``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/interfaces", {"hostname": hostname}))  # type: ignore[no-any-return]

    def list_job_approvals(self) -> ListJobApprovalsResult:
        """List approvals of jobs. ``GET /api/v1.0/approvals/jobs``"""
        return self._call("GET", "/api/v1.0/approvals/jobs")  # type: ignore[no-any-return]

    def list_job_audit_events(self, id: int, *, sort: Literal["id", "-id", "at", "-at", "device_id", "-device_id", "job_id", "-job_id", "kind", "-kind", "action", "-action", "actor", "-actor", "way", "-way", "address", "-address", "hostname", "-hostname"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> ListJobAuditEventsResult:
        """Read the history of a job. ``GET /api/v1.0/job/{id}/audit``"""
        return self._call("GET", path_of("/api/v1.0/job/{id}/audit", {"id": id}), query={"sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)  # type: ignore[no-any-return]

    def all_job_audit_events(self, id: int, *, sort: Literal["id", "-id", "at", "-at", "device_id", "-device_id", "job_id", "-job_id", "kind", "-kind", "action", "-action", "actor", "-actor", "way", "-way", "address", "-address", "hostname", "-hostname"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter: Filter | None = None) -> Iterator[AuditEvent]:
        """The same, record by record, with all pages."""
        return self._pages("events", "GET", path_of("/api/v1.0/job/{id}/audit", {"id": id}), query={"sort": sort, "page": page, "per_page": per_page, "limit": limit}, filter=filter)

    def list_jobs(self, *, sort: Literal["id", "-id", "status", "-status", "scheduled_time", "-scheduled_time", "start_time", "-start_time", "finish_time", "-finish_time", "function_name", "-function_name", "scheduled_by", "-scheduled_by", "comment", "-comment", "ticket_ref", "-ticket_ref", "settings_commit", "-settings_commit", "templates_commit", "-templates_commit", "next_job_id", "-next_job_id", "change_score", "-change_score", "outcome", "-outcome", "result", "-result", "exception", "-exception", "start_arguments", "-start_arguments", "finished_devices", "-finished_devices", "failed_devices", "-failed_devices", "counts", "-counts", "counts_devices", "-counts_devices", "counts_succeeded", "-counts_succeeded", "counts_failed", "-counts_failed", "counts_changed", "-counts_changed", "dry_run_job", "-dry_run_job", "failed_today", "-failed_today", "routine", "-routine", "changes", "-changes", "traceback", "-traceback"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter_jobresult: str | int | None = None, show_secrets: str | int | None = None, filter: Filter | None = None) -> ListJobsResult:
        """List jobs. ``GET /api/v1.0/jobs``"""
        return self._call("GET", "/api/v1.0/jobs", query={"sort": sort, "page": page, "per_page": per_page, "limit": limit, "filter_jobresult": filter_jobresult, "show_secrets": show_secrets}, filter=filter)  # type: ignore[no-any-return]

    def all_jobs(self, *, sort: Literal["id", "-id", "status", "-status", "scheduled_time", "-scheduled_time", "start_time", "-start_time", "finish_time", "-finish_time", "function_name", "-function_name", "scheduled_by", "-scheduled_by", "comment", "-comment", "ticket_ref", "-ticket_ref", "settings_commit", "-settings_commit", "templates_commit", "-templates_commit", "next_job_id", "-next_job_id", "change_score", "-change_score", "outcome", "-outcome", "result", "-result", "exception", "-exception", "start_arguments", "-start_arguments", "finished_devices", "-finished_devices", "failed_devices", "-failed_devices", "counts", "-counts", "counts_devices", "-counts_devices", "counts_succeeded", "-counts_succeeded", "counts_failed", "-counts_failed", "counts_changed", "-counts_changed", "dry_run_job", "-dry_run_job", "failed_today", "-failed_today", "routine", "-routine", "changes", "-changes", "traceback", "-traceback"] | None = None, page: int | None = None, per_page: int | None = None, limit: int | None = None, filter_jobresult: str | int | None = None, show_secrets: str | int | None = None, filter: Filter | None = None) -> Iterator[Job]:
        """The same, record by record, with all pages."""
        return self._pages("jobs", "GET", "/api/v1.0/jobs", query={"sort": sort, "page": page, "per_page": per_page, "limit": limit, "filter_jobresult": filter_jobresult, "show_secrets": show_secrets}, filter=filter)

    def list_learned_lines(self, *, platform: str | int | None = None, release: str | int | None = None) -> ListLearnedLinesResult:
        """List learnt spellings of lines. ``GET /api/v1.0/learned_lines``"""
        return self._call("GET", "/api/v1.0/learned_lines", query={"platform": platform, "release": release})  # type: ignore[no-any-return]

    def list_leases(self) -> ListLeasesResult:
        """List leases that were refused or wait. ``GET /api/v1.0/dhcp_leases``"""
        return self._call("GET", "/api/v1.0/dhcp_leases")  # type: ignore[no-any-return]

    def list_lines_from_source(self, name: Literal["settings", "templates"], *, path: str | int | None = None, line: int | None = None, after: str | int | None = None) -> LinesFromSource:
        """List the lines that a setting gives. ``GET /api/v1.0/repository/{name}/lines``"""
        return self._call("GET", path_of("/api/v1.0/repository/{name}/lines", {"name": name}), query={"path": path, "line": line, "after": after})  # type: ignore[no-any-return]

    def list_linknets(self) -> ListLinknetsResult:
        """List links. ``GET /api/v1.0/linknets``"""
        return self._call("GET", "/api/v1.0/linknets")  # type: ignore[no-any-return]

    def list_locks(self) -> ListLocksResult:
        """List locks. ``GET /api/v1.0/joblocks``"""
        return self._call("GET", "/api/v1.0/joblocks")  # type: ignore[no-any-return]

    def list_login_methods(self) -> LoginMethods:
        """List the login methods. ``GET /api/v1.0/auth/ways``"""
        return self._call("GET", "/api/v1.0/auth/ways")  # type: ignore[no-any-return]

    def list_mgmt_domains(self, *, sort: Literal["id", "-id", "device_a_id", "-device_a_id", "device_b_id", "-device_b_id", "site_id", "-site_id", "vlan", "-vlan", "ipv4_gw", "-ipv4_gw", "ipv6_gw", "-ipv6_gw", "device_a_ip", "-device_a_ip", "device_b_ip", "-device_b_ip", "description", "-description", "esi_mac", "-esi_mac"] | None = None, page: int | None = None, per_page: int | None = None, filter: Filter | None = None) -> ListMgmtDomainsResult:
        """List management domains. ``GET /api/v1.0/mgmtdomains``"""
        return self._call("GET", "/api/v1.0/mgmtdomains", query={"sort": sort, "page": page, "per_page": per_page}, filter=filter)  # type: ignore[no-any-return]

    def all_mgmt_domains(self, *, sort: Literal["id", "-id", "device_a_id", "-device_a_id", "device_b_id", "-device_b_id", "site_id", "-site_id", "vlan", "-vlan", "ipv4_gw", "-ipv4_gw", "ipv6_gw", "-ipv6_gw", "device_a_ip", "-device_a_ip", "device_b_ip", "-device_b_ip", "description", "-description", "esi_mac", "-esi_mac"] | None = None, page: int | None = None, per_page: int | None = None, filter: Filter | None = None) -> Iterator[MgmtDomain]:
        """The same, record by record, with all pages."""
        return self._pages("mgmtdomains", "GET", "/api/v1.0/mgmtdomains", query={"sort": sort, "page": page, "per_page": per_page}, filter=filter)

    def list_mutes(self) -> ListMutesResult:
        """List mutes. ``GET /api/v1.0/alerts/mutes``"""
        return self._call("GET", "/api/v1.0/alerts/mutes")  # type: ignore[no-any-return]

    def list_new_devices(self) -> ListNewDevicesResult:
        """List new switches. ``GET /api/v1.0/new_devices``"""
        return self._call("GET", "/api/v1.0/new_devices")  # type: ignore[no-any-return]

    def list_onboarding(self) -> ListOnboardingResult:
        """List onboarded switches. ``GET /api/v1.0/onboarding``"""
        return self._call("GET", "/api/v1.0/onboarding")  # type: ignore[no-any-return]

    def list_permissions(self) -> list[Permission]:
        """Read your permissions. ``GET /api/v1.0/auth/permissions``"""
        return self._call("GET", "/api/v1.0/auth/permissions", gives="all")  # type: ignore[no-any-return]

    def list_persons(self) -> ListPersonsResult:
        """List the persons. ``GET /api/v1.0/auth/persons``"""
        return self._call("GET", "/api/v1.0/auth/persons")  # type: ignore[no-any-return]

    def list_plugins(self) -> ListPluginsResult:
        """List plugins. ``GET /api/v1.0/plugins``"""
        return self._call("GET", "/api/v1.0/plugins")  # type: ignore[no-any-return]

    def list_proposals(self, *, state: str | int | None = None, repository: str | int | None = None) -> ListProposalsResult:
        """List proposals. ``GET /api/v1.0/proposals``"""
        return self._call("GET", "/api/v1.0/proposals", query={"state": state, "repository": repository})  # type: ignore[no-any-return]

    def list_repository_files(self, name: Literal["settings", "templates"], *, branch: str | int | None = None) -> RepositoryFiles:
        """List the files in force. ``GET /api/v1.0/repository/{name}/files``"""
        return self._call("GET", path_of("/api/v1.0/repository/{name}/files", {"name": name}), query={"branch": branch})  # type: ignore[no-any-return]

    def list_roles(self) -> ListRolesResult:
        """List the roles. ``GET /api/v1.0/auth/roles``"""
        return self._call("GET", "/api/v1.0/auth/roles")  # type: ignore[no-any-return]

    def list_secrets(self) -> ListSecretsResult:
        """List the secrets by name. ``GET /api/v1.0/secrets``"""
        return self._call("GET", "/api/v1.0/secrets")  # type: ignore[no-any-return]

    def list_stack_members(self, hostname: str | int) -> ListStackMembersResult:
        """Read stack members. ``GET /api/v1.0/device/{hostname}/stackmember``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/stackmember", {"hostname": hostname}))  # type: ignore[no-any-return]

    def list_tokens(self) -> ListTokensResult:
        """List tokens of programs. ``GET /api/v1.0/auth/tokens``"""
        return self._call("GET", "/api/v1.0/auth/tokens")  # type: ignore[no-any-return]

    def list_users(self) -> ListUsersResult:
        """List the users with passwords. ``GET /api/v1.0/auth/users``"""
        return self._call("GET", "/api/v1.0/auth/users")  # type: ignore[no-any-return]

    def list_views(self) -> ListViewsResult:
        """List saved views. ``GET /api/v1.0/views``"""
        return self._call("GET", "/api/v1.0/views")  # type: ignore[no-any-return]

    def list_waiting_host_keys(self) -> ListWaitingHostKeysResult:
        """List host keys that need an approval. ``GET /api/v1.0/device_hostkeys``"""
        return self._call("GET", "/api/v1.0/device_hostkeys")  # type: ignore[no-any-return]

    def list_who_may(self, *, method: str | int | None = None, path: str | int | None = None, device: str | int | None = None) -> ListWhoMayResult:
        """List who may make a call. ``GET /api/v1.0/auth/who_may``"""
        return self._call("GET", "/api/v1.0/auth/who_may", query={"method": method, "path": path, "device": device})  # type: ignore[no-any-return]

    def login(self) -> LoginResult:
        """Log in with a name and a password. ``POST /api/v1.0/auth``"""
        return self._call("POST", "/api/v1.0/auth", gives="all")  # type: ignore[no-any-return]

    def logout(self) -> EndedSession:
        """Log out. ``POST /api/v1.0/auth/logout``"""
        return self._call("POST", "/api/v1.0/auth/logout")  # type: ignore[no-any-return]

    def manage_onboarded(self, body: ReadOnboardedRequest | None = None) -> JobStarted:
        """Manage switches without a push. ``POST /api/v1.0/onboarding/manage``"""
        return self._call("POST", "/api/v1.0/onboarding/manage", body=body or {}, gives="all")  # type: ignore[no-any-return]

    def mark_proposal_viewed(self, id: int, body: MarkViewedRequest) -> MarkProposalViewedResult:
        """Mark differences of a proposal as viewed. ``POST /api/v1.0/proposals/{id}/viewed``"""
        return self._call("POST", path_of("/api/v1.0/proposals/{id}/viewed", {"id": id}), body=body)  # type: ignore[no-any-return]

    def mark_viewed(self, id: int, body: MarkViewedRequest) -> ViewedGroups:
        """Mark differences as viewed. ``POST /api/v1.0/job/{id}/viewed``"""
        return self._call("POST", path_of("/api/v1.0/job/{id}/viewed", {"id": id}), body=body)  # type: ignore[no-any-return]

    def onboard(self, body: OnboardRequest) -> OnboardingResult:
        """Add switches that exist already. ``POST /api/v1.0/onboarding``"""
        return self._call("POST", "/api/v1.0/onboarding", body=body)  # type: ignore[no-any-return]

    def onboarding_distance(self, *, hostname: str | int | None = None) -> OnboardingDistance:
        """How far switches are from the templates. ``GET /api/v1.0/onboarding/distance``"""
        return self._call("GET", "/api/v1.0/onboarding/distance", query={"hostname": hostname})  # type: ignore[no-any-return]

    def onboarding_history(self) -> OnboardingHistoryResult:
        """The distance by commit. ``GET /api/v1.0/onboarding/history``"""
        return self._call("GET", "/api/v1.0/onboarding/history")  # type: ignore[no-any-return]

    def open_proposal(self, body: OpenProposalRequest) -> OpenProposalResult:
        """Propose a branch. ``POST /api/v1.0/proposals``"""
        return self._call("POST", "/api/v1.0/proposals", body=body)  # type: ignore[no-any-return]

    def open_session(self) -> OpenedSession:
        """Sign on in the page. ``POST /api/v1.0/auth/session``"""
        return self._call("POST", "/api/v1.0/auth/session")  # type: ignore[no-any-return]

    def pin_host_key(self, hostname: str | int, body: PinHostKeyRequest) -> PinHostKeyResult:
        """Pin another host key. ``PUT /api/v1.0/device/{hostname}/host_key``"""
        return self._call("PUT", path_of("/api/v1.0/device/{hostname}/host_key", {"hostname": hostname}), body=body)  # type: ignore[no-any-return]

    def preview_interfaces(self, hostname: str | int, body: InterfaceChanges) -> InterfacePreview:
        """Preview a change of interfaces. ``POST /api/v1.0/device/{hostname}/interfaces/preview``"""
        return self._call("POST", path_of("/api/v1.0/device/{hostname}/interfaces/preview", {"hostname": hostname}), body=body)  # type: ignore[no-any-return]

    def proposed_links(self) -> ProposedLinksResult:
        """List proposed links. ``GET /api/v1.0/onboarding/links``"""
        return self._call("GET", "/api/v1.0/onboarding/links")  # type: ignore[no-any-return]

    def proposed_settings(self) -> SettingsProposal:
        """Settings from what runs. ``GET /api/v1.0/onboarding/settings``"""
        return self._call("GET", "/api/v1.0/onboarding/settings")  # type: ignore[no-any-return]

    def read_onboarded(self, body: ReadOnboardedRequest | None = None) -> JobStarted:
        """Read onboarded switches again. ``POST /api/v1.0/onboarding/read``"""
        return self._call("POST", "/api/v1.0/onboarding/read", body=body or {}, gives="all")  # type: ignore[no-any-return]

    def read_setup(self) -> SetupProgress:
        """Read how far the installation is. ``GET /api/v1.0/setup``"""
        return self._call("GET", "/api/v1.0/setup")  # type: ignore[no-any-return]

    def read_tables(self, body: ReadTablesRequest | None = None) -> JobStarted:
        """Read MAC address and ARP tables. ``POST /api/v1.0/device_read_tables``"""
        return self._call("POST", "/api/v1.0/device_read_tables", body=body or {}, gives="all")  # type: ignore[no-any-return]

    def refresh_login(self) -> RefreshLoginResult:
        """Get a new token. ``POST /api/v1.0/auth/refresh``"""
        return self._call("POST", "/api/v1.0/auth/refresh")  # type: ignore[no-any-return]

    def refresh_repository(self, name: Literal["settings", "templates"], body: RefreshRepositoryRequest) -> RefreshRepositoryResult:
        """Refresh a repository. ``PUT /api/v1.0/repository/{name}``"""
        return self._call("PUT", path_of("/api/v1.0/repository/{name}", {"name": name}), body=body, gives="all")  # type: ignore[no-any-return]

    def reject_job(self, id: int, body: DecisionRequest) -> RejectJobResult:
        """Reject a job. ``POST /api/v1.0/job/{id}/reject``"""
        return self._call("POST", path_of("/api/v1.0/job/{id}/reject", {"id": id}), body=body)  # type: ignore[no-any-return]

    def reject_request(self, id: int, body: DecisionRequest) -> RejectRequestResult:
        """Reject a request. ``POST /api/v1.0/approvals/{id}/reject``"""
        return self._call("POST", path_of("/api/v1.0/approvals/{id}/reject", {"id": id}), body=body)  # type: ignore[no-any-return]

    def render_template(self, hostname: str | int, body: RenderTemplateRequest | None = None) -> RenderedTemplate:
        """Try a template. ``POST /api/v1.0/device/{hostname}/render``"""
        return self._call("POST", path_of("/api/v1.0/device/{hostname}/render", {"hostname": hostname}), body=body or {})  # type: ignore[no-any-return]

    def renew_certificates(self, body: RenewCertificatesRequest) -> JobStarted:
        """Renew the certificates of devices. ``POST /api/v1.0/device_cert``"""
        return self._call("POST", "/api/v1.0/device_cert", body=body, gives="all")  # type: ignore[no-any-return]

    def replace_stack_members(self, hostname: str | int, body: ReplaceStackMembersRequest) -> ReplaceStackMembersResult:
        """Replace stack members. ``PUT /api/v1.0/device/{hostname}/stackmember``"""
        return self._call("PUT", path_of("/api/v1.0/device/{hostname}/stackmember", {"hostname": hostname}), body=body)  # type: ignore[no-any-return]

    def replay_deliveries(self, body: ReplayDeliveriesRequest | None = None) -> ReplayDeliveriesResult:
        """Try all dead messages again. ``POST /api/v1.0/alerts/replay``"""
        return self._call("POST", "/api/v1.0/alerts/replay", body=body or {})  # type: ignore[no-any-return]

    def replay_delivery(self, id: str | int) -> ReplayDeliveryResult:
        """Try a dead message again. ``POST /api/v1.0/alerts/deliveries/{id}/replay``"""
        return self._call("POST", path_of("/api/v1.0/alerts/deliveries/{id}/replay", {"id": id}))  # type: ignore[no-any-return]

    def report_forge_event(self, body: dict[str, Any]) -> ForgeEventOutcome:
        """Report an event of the forge. ``POST /api/v1.0/forge/events``"""
        return self._call("POST", "/api/v1.0/forge/events", body=body)  # type: ignore[no-any-return]

    def report_lease(self, body: ReportLeaseRequest) -> ReportLeaseResult:
        """Report a lease. ``POST /api/v1.0/dhcp_leases``"""
        return self._call("POST", "/api/v1.0/dhcp_leases", body=body)  # type: ignore[no-any-return]

    def restore_config(self, hostname: str | int, body: RestoreConfigRequest) -> JobStarted:
        """Restore an earlier configuration. ``POST /api/v1.0/device/{hostname}/previous_config``"""
        return self._call("POST", path_of("/api/v1.0/device/{hostname}/previous_config", {"hostname": hostname}), body=body, gives="all")  # type: ignore[no-any-return]

    def revert_job(self, id: int, body: RevertJobRequest | None = None) -> JobStarted:
        """Revert a job. ``POST /api/v1.0/job/{id}/revert``"""
        return self._call("POST", path_of("/api/v1.0/job/{id}/revert", {"id": id}), body=body or {}, gives="all")  # type: ignore[no-any-return]

    def revoke_certificate(self, serial: str | int, body: RevokeCertificateRequest | None = None) -> RevokeCertificateResult:
        """Revoke a certificate. ``POST /api/v1.0/certificate/{serial}/revoke``"""
        return self._call("POST", path_of("/api/v1.0/certificate/{serial}/revoke", {"serial": serial}), body=body or {})  # type: ignore[no-any-return]

    def revoke_token(self, id: int) -> RevokeTokenResult:
        """Revoke a token. ``DELETE /api/v1.0/auth/tokens/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/auth/tokens/{id}", {"id": id}))  # type: ignore[no-any-return]

    def save_view(self, body: SaveViewRequest) -> SaveViewResult:
        """Save a view of a list. ``POST /api/v1.0/views``"""
        return self._call("POST", "/api/v1.0/views", body=body)  # type: ignore[no-any-return]

    def search_configs(self, *, q: str | int | None = None, hostname: str | int | None = None, before: str | int | None = None, after: str | int | None = None) -> SearchConfigsResult:
        """Search the stored configurations. ``GET /api/v1.0/configs``"""
        return self._call("GET", "/api/v1.0/configs", query={"q": q, "hostname": hostname, "before": before, "after": after})  # type: ignore[no-any-return]

    def set_default_firmware(self, filename: str | int) -> Any:
        """Make an image the default of its family. ``POST /api/v1.0/firmware/{filename}/set-default``"""
        return self._call("POST", path_of("/api/v1.0/firmware/{filename}/set-default", {"filename": filename}))  # type: ignore[no-any-return]

    def set_up(self, body: SetUpRequest | None = None) -> SetUpResult:
        """Set what is not set yet. ``PUT /api/v1.0/setup``"""
        return self._call("PUT", "/api/v1.0/setup", body=body or {})  # type: ignore[no-any-return]

    def sync_device(self, hostname: str | int, body: SyncDeviceRequest | None = None) -> JobStarted:
        """Synchronize one device. ``POST /api/v1.0/device_syncto/hostname/{hostname}``"""
        return self._call("POST", path_of("/api/v1.0/device_syncto/hostname/{hostname}", {"hostname": hostname}), body=body or {}, gives="all")  # type: ignore[no-any-return]

    def sync_devices(self, body: SyncDevicesRequest | None = None) -> JobStarted:
        """Synchronize devices. ``POST /api/v1.0/device_syncto``"""
        return self._call("POST", "/api/v1.0/device_syncto", body=body or {}, gives="all")  # type: ignore[no-any-return]

    def test_plugins(self, body: TestPluginsRequest) -> TestPluginsResult:
        """Test plugins. ``PUT /api/v1.0/plugins``"""
        return self._call("PUT", "/api/v1.0/plugins", body=body)  # type: ignore[no-any-return]

    def test_receiver(self, name: str | int) -> TestReceiverResult:
        """Send a test message. ``POST /api/v1.0/alerts/receivers/{name}/test``"""
        return self._call("POST", path_of("/api/v1.0/alerts/receivers/{name}/test", {"name": name}))  # type: ignore[no-any-return]

    def trust_device(self, hostname: str | int, body: TrustDeviceRequest | None = None) -> TrustDeviceResult:
        """Accept the identity of a device. ``POST /api/v1.0/device/{hostname}/trust``"""
        return self._call("POST", path_of("/api/v1.0/device/{hostname}/trust", {"hostname": hostname}), body=body or {})  # type: ignore[no-any-return]

    def try_checks(self, hostname: str | int) -> TryChecksResult:
        """Try the checks of a device. ``GET /api/v1.0/device/{hostname}/checks``"""
        return self._call("GET", path_of("/api/v1.0/device/{hostname}/checks", {"hostname": hostname}))  # type: ignore[no-any-return]

    def try_setup(self, body: SetUpRequest | None = None) -> TrySetupResult:
        """Try settings before they are set. ``POST /api/v1.0/setup/try``"""
        return self._call("POST", "/api/v1.0/setup/try", body=body or {})  # type: ignore[no-any-return]

    def update_device(self, id: int, body: UpdateDeviceRequest | None = None) -> UpdateDeviceResult:
        """Change a device. ``PUT /api/v1.0/device/{id}``"""
        return self._call("PUT", path_of("/api/v1.0/device/{id}", {"id": id}), body=body or {})  # type: ignore[no-any-return]

    def update_facts(self, body: UpdateFactsRequest) -> JobStarted:
        """Update the facts of a device. ``POST /api/v1.0/device_update_facts``"""
        return self._call("POST", "/api/v1.0/device_update_facts", body=body, gives="all")  # type: ignore[no-any-return]

    def update_interface_database(self, body: UpdateInterfaceDatabaseRequest) -> JobStarted:
        """Update the ports of an access switch. ``POST /api/v1.0/device_update_interfaces``"""
        return self._call("POST", "/api/v1.0/device_update_interfaces", body=body, gives="all")  # type: ignore[no-any-return]

    def update_interfaces(self, hostname: str | int, body: InterfaceChanges) -> UpdateInterfacesResult:
        """Change interfaces. ``PUT /api/v1.0/device/{hostname}/interfaces``"""
        return self._call("PUT", path_of("/api/v1.0/device/{hostname}/interfaces", {"hostname": hostname}), body=body)  # type: ignore[no-any-return]

    def update_job(self, id: int, body: UpdateJobRequest) -> UpdateJobResult:
        """Abort, pause or resume a job. ``PUT /api/v1.0/job/{id}``"""
        return self._call("PUT", path_of("/api/v1.0/job/{id}", {"id": id}), body=body)  # type: ignore[no-any-return]

    def update_linknet(self, id: int, body: UpdateLinknetRequest | None = None) -> UpdateLinknetResult | UpdateLinknetResult2:
        """Change a link. ``PUT /api/v1.0/linknet/{id}``"""
        return self._call("PUT", path_of("/api/v1.0/linknet/{id}", {"id": id}), body=body or {}, gives="all")  # type: ignore[no-any-return]

    def update_mgmt_domain(self, id: int, body: UpdateMgmtDomainRequest | None = None) -> UpdateMgmtDomainResult | UpdateMgmtDomainResult2:
        """Change a management domain. ``PUT /api/v1.0/mgmtdomain/{id}``"""
        return self._call("PUT", path_of("/api/v1.0/mgmtdomain/{id}", {"id": id}), body=body or {}, gives="all")  # type: ignore[no-any-return]

    def update_user(self, name: str | int, body: UpdateUserRequest | None = None) -> UpdateUserResult:
        """Change a user's roles or password, or whether they may log in. ``PUT /api/v1.0/auth/users/{name}``"""
        return self._call("PUT", path_of("/api/v1.0/auth/users/{name}", {"name": name}), body=body or {})  # type: ignore[no-any-return]

    def upgrade_firmware(self, body: UpgradeFirmwareRequest | None = None) -> JobStarted:
        """Upgrade the firmware of switches. ``POST /api/v1.0/firmware/upgrade``"""
        return self._call("POST", "/api/v1.0/firmware/upgrade", body=body or {}, gives="all")  # type: ignore[no-any-return]

    def verify_change_report(self, sha256: str | int) -> VerifyChangeReportResult:
        """Verify a kept report. ``GET /api/v1.0/changes/reports/{sha256}``"""
        return self._call("GET", path_of("/api/v1.0/changes/reports/{sha256}", {"sha256": sha256}))  # type: ignore[no-any-return]

    def withdraw_learned_line(self, id: int) -> WithdrawLearnedLineResult:
        """Withdraw a learnt spelling. ``DELETE /api/v1.0/learned_lines/{id}``"""
        return self._call("DELETE", path_of("/api/v1.0/learned_lines/{id}", {"id": id}))  # type: ignore[no-any-return]

    def withdraw_person(self, body: PersonRequest) -> WithdrawPersonResult:
        """Withdraw a person. ``POST /api/v1.0/auth/persons/withdraw``"""
        return self._call("POST", "/api/v1.0/auth/persons/withdraw", body=body)  # type: ignore[no-any-return]
