/** Records that the API document shows. */
import type { Device } from "../domain/Device.ts"
import type { Job } from "../domain/Job.ts"
import type { Linknet } from "../domain/Linknet.ts"

export const device: Device = {
  id: 13,
  hostname: "lhv-a1",
  site_id: null,
  description: null,
  management_ip: "10.0.6.6",
  secondary_management_ip: null,
  dhcp_ip: null,
  infra_ip: null,
  oob_ip: null,
  serial: "SSJ17200213",
  ztp_mac: "08002708A8BE",
  platform: "eos",
  vendor: "Arista",
  model: "CCS-720XP-48ZC2",
  os_version: "4.31.5M",
  synchronized: true,
  state: "MANAGED",
  device_type: "ACCESS",
  confhash: null,
  last_seen: "2026-02-27 10:30:23.338681",
  port: null
}

export const job: Job = {
  id: 812,
  status: "FINISHED",
  scheduled_time: "2026-03-02T09:11:26.319761",
  start_time: "2026-03-02T09:11:26.4012",
  finish_time: "2026-03-02T09:11:28.775562",
  function_name: "sync_devices",
  scheduled_by: "admin",
  comment: "ticket work",
  ticket_ref: null,
  next_job_id: null,
  result: {
    devices: {
      "lhv-a1": {
        failed: false,
        job_tasks: [
          { task_name: "push_sync_device", result: null, diff: "", failed: false },
          {
            task_name: "Sync device config",
            result: null,
            diff: "@@ -12,1 +12,1 @@\n-   description desk\n+   description printer",
            failed: false,
            proof: "loaded-again"
          }
        ]
      }
    }
  },
  exception: null,
  traceback: null,
  finished_devices: ["lhv-a1"],
  change_score: 21,
  outcome: "success",
  failed_devices: [],
  counts: { devices: 1, succeeded: 1, failed: 0, changed: 1 },
  start_arguments: { dry_run: false, auto_push: false, force: false, resync: false, hostnames: ["lhv-a1"] },
  waiting_for: null,
  settings_commit: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
  templates_commit: "1b0c7e3f6a1d4a5a9f6f0f4b8c2d7e9a3b5c6d7e",
  abort_reason: null,
  aborted_by: null
}

export const linknet: Linknet = {
  id: 25,
  ipv4_network: "10.198.0.0/31",
  device_a_id: 9,
  device_a_ip: "10.198.0.0",
  device_a_port: "Ethernet3",
  device_b_id: 12,
  device_b_ip: "10.198.0.1",
  device_b_port: "Ethernet3",
  site_id: null,
  description: null
}
