/** Firmware images and upgrades (docs/api.md#firmware-images). The server keeps one image, `EOS64-4.31.5M.swi`. */
import { absent, type Case, type Expected } from "../Case.ts"

const bad = (name: string, request: Case["request"], message: string, status = 400): Case => ({
  name,
  request,
  reply: { status, body: { status: "error", message } }
})
const post = (path: string, json: unknown) => ({ method: "POST", path, json }) as const
const starts = (
  name: string,
  request: Case["request"],
  data: string,
  job: { readonly [key: string]: Expected | typeof absent },
  headers: Readonly<Record<string, string | null>> = {}
): Case => ({
  name,
  request,
  reply: { status: 200, body: { status: "success", data, job_id: 4 }, headers },
  afterwards: [{ path: "/job/4", body: { data: { jobs: [job] } } }]
})
const image = "EOS64-4.31.5M.swi"
const order = {
  url: `https://images.example.org/eos/${image}`,
  sha1: "e0537400b5f134aa960603c9b715a8ce30306071",
  verify_tls: true
}

const DOWNLOADING = `insert into job (status, function_name, scheduled_by, start_arguments, memo) values ('RUNNING', 'get_firmware', 'indy',
  '${JSON.stringify({ ...order, verify_tls: true })}', '{"bytes": 500, "total": 2000}')`

/** An upgrade of two switches, of which one has failed and the other one reboots. */
const UPGRADING = [
  `insert into job (status, function_name, scheduled_by, start_arguments, memo) values ('RUNNING', 'device_upgrade', 'indy',
    '{"group": "EAST_WING", "pre_flight": true, "reboot": true}', '{"groups": [["east-a1"], ["east-a2"], ["special-a8"]]}')`,
  `insert into device_upgrade (job_id, hostname, progress) values
    (4, 'east-a1', '{"file": "EOS.swi", "versionBefore": "4.30.1F", "tasks": [], "begun": "pre_flight", "alreadyActive": false, "reboot": null, "waitingSince": null}'),
    (4, 'east-a2', '{"file": null, "versionBefore": "4.30.1F", "tasks": [{"task_name": "arista_pre_flight_check", "result": "Pre-flight check done.", "diff": "", "failed": false}],
      "begun": "reboot", "alreadyActive": false, "reboot": {"at": 1, "uptime": 2}, "waitingSince": 3}')`,
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (4, 'east-a1', true,
    '[{"task_name": "arista_pre_flight_check", "result": "x\\nFirmwareError: no space\\n", "diff": "", "failed": true}]', false)`
]

const get = (name: string, path: string, body: Case["reply"]["body"], status = 200): Case => ({
  name,
  request: { method: "GET", path },
  reply: { status, ...(body === undefined ? {} : { body }) }
})

const views: ReadonlyArray<Case> = [
  get("versions of managed devices by group", "/firmware_versions", {
    status: "success",
    data: {
      groups: [
        { group: "EAST_WING", devices: 1, versions: [{ os_version: "4.31.5M", count: 1 }] },
        { group: "DEFAULT", devices: 6 }
      ],
      all: [
        { os_version: "4.31.5M", count: 3 },
        { os_version: null, count: 3 }
      ]
    }
  }),
  {
    ...get("images with their size, and how far a download is", "/firmware_images", {
      status: "success",
      data: {
        images: [{ file: image, size: 5, sha1: null, defaults: [] }],
        downloads: [{ job_id: 4, status: "RUNNING", by: "indy", url: order.url, file: image, bytes: 500, total: 2000 }]
      }
    }),
    given: [DOWNLOADING]
  },
  {
    ...get("the devices of an upgrade in its order, with the step that each is at", "/job/4/upgrade", {
      status: "success",
      data: {
        job_id: 4,
        status: "RUNNING",
        steps: ["pre_flight", "reboot"],
        devices: [
          {
            hostname: "east-a1",
            group: 1,
            state: "failed",
            steps_done: [],
            message: "FirmwareError: no space",
            said: "x"
          },
          {
            hostname: "east-a2",
            group: 2,
            state: "returning",
            step: "reboot",
            steps_done: ["pre_flight"],
            version_before: "4.30.1F",
            message: null
          },
          { hostname: "special-a8", group: 3, state: "waiting", step: null }
        ]
      }
    }),
    given: UPGRADING
  },
  get("that this job is no upgrade", "/job/1/upgrade", { message: "No upgrade with job id 1 found" }, 404)
]

const images: ReadonlyArray<Case> = [
  {
    name: "the images in both places, for old and new clients",
    request: { method: "GET", path: "/firmware" },
    reply: { status: 200, body: { data: { files: [image], status: "success", data: { files: [image] } } } }
  },
  starts(
    "a job that downloads an image",
    post("/firmware", { ...order, filename: "ignored" }),
    "Scheduled job to download firmware",
    { function_name: "get_firmware", start_arguments: { ...order, filename: absent } }
  ),
  bad("the first parameter that is missing", post("/firmware", {}), "Missing parameter url"),
  bad("the second parameter that is missing", post("/firmware", { url: "x" }), "Missing parameter sha1"),
  bad(
    "the third parameter that is missing",
    post("/firmware", { url: "x", sha1: "x" }),
    "Missing parameter verify_tls"
  ),
  ...["e0537400", `${order.sha1}0`, "z".repeat(40)].map((sha1) =>
    bad(
      "that this is no checksum",
      post("/firmware", { ...order, sha1 }),
      "Invalid checksum, must be 40 hexadecimal digits"
    )
  ),
  ...[5, null, ""].map((sha1) =>
    bad("that a checksum is text", post("/firmware", { ...order, sha1 }), "Checksum must be specified")
  ),
  ...["ftp://images.example.org/x.swi", "file:///etc/passwd", "x", "https://images.example.org/"].map((url) =>
    bad(
      "that no image is fetched from there",
      post("/firmware", { ...order, url }),
      "Invalid URL, could not parse filename"
    )
  ),
  ...[5, null, ""].map((url) =>
    bad("that a URL is text", post("/firmware", { ...order, url }), "URL must be specified")
  ),
  bad(
    "that passwords do not belong into a URL",
    post("/firmware", { ...order, url: "https://a:b@images.example.org/x.swi" }),
    "url must not hold a user name or a password"
  ),
  starts(
    "a job that computes a checksum",
    { method: "GET", path: `/firmware/${image}` },
    "Scheduled job get firmware information",
    { function_name: "get_firmware_chksum", start_arguments: { filename: image } }
  ),
  starts(
    "a job that removes an image",
    { method: "DELETE", path: `/firmware/${image}` },
    "Scheduled job to remove firmware",
    { function_name: "remove_file", start_arguments: { filename: image } }
  ),
  {
    name: "that an image is the default of its family",
    request: { method: "POST", path: `/firmware/${image}/set-default` },
    reply: { status: 200, body: { status: "success" } }
  },
  bad(
    "that the image is not there",
    { method: "POST", path: "/firmware/EOS-1.swi/set-default" },
    "Could not set file as default",
    404
  )
]

const upgrade = "/firmware/upgrade"
const one = { hostname: "east-a1" }

const upgrades: ReadonlyArray<Case> = [
  starts(
    "a job that upgrades a device",
    post(upgrade, {
      ...one,
      filename: image,
      download: true,
      "pre-flight": true,
      post_waittime: 600,
      comment: "security fix",
      ticket_ref: "CHG-1"
    }),
    "Scheduled job to upgrade devices",
    {
      function_name: "device_upgrade",
      comment: "security fix",
      ticket_ref: "CHG-1",
      start_arguments: {
        hostname: "east-a1",
        filename: image,
        download: true,
        pre_flight: true,
        post_waittime: 600,
        url: /^http/
      }
    },
    { "x-total-count": "1" }
  ),
  starts(
    "a later start, and no filename when nothing is fetched",
    post(upgrade, { group: "EAST_WING", reboot: true, post_flight: true, start_at: "2126-12-24 02:00:00" }),
    "Scheduled job to upgrade devices",
    { scheduled_time: /^2126-12-24T0[12]:/, start_arguments: { group: "EAST_WING", start_at: absent } },
    { "x-total-count": "1" }
  ),
  ...["2126-12-24T02:00:00Z", "2126-12-24T03:00:00+01:00", "2126-12-23T22:30-0330", "2126-12-24T02:00:00.500Z"].map(
    (start_at) =>
      starts(
        "a start in ISO 8601 with its zone",
        post(upgrade, { group: "EAST_WING", reboot: true, start_at }),
        "Scheduled job to upgrade devices",
        { scheduled_time: /^2126-12-24T0[12]:/ }
      )
  ),
  ...[{}, { staggered_upgrade: true }, { reboot: false, download: false }].map((steps) =>
    bad(
      "that no step was asked for",
      post(upgrade, { ...one, filename: image, ...steps }),
      "No step was asked for, set one of: pre_flight, download, activate, reboot, post_flight"
    )
  ),
  bad("an error for a missing selection", post(upgrade, {}), "No devices to upgrade were specified"),
  bad("an error for an invalid hostname", post(upgrade, { hostname: "a b" }), "Hostname 'a b' is not a valid hostname"),
  bad(
    "that the device is not managed",
    post(upgrade, { hostname: "east-a2", reboot: true }),
    "Hostname 'east-a2' not found or is not a managed device"
  ),
  bad(
    "that the group is unknown",
    post(upgrade, { group: "WEST", reboot: true }),
    "Could not find a group with name WEST"
  ),
  bad("that a filename is text", post(upgrade, { ...one, filename: 5 }), "filename should be a string"),
  ...["download", "activate"].map((flag) =>
    bad("that a filename is needed", post(upgrade, { ...one, [flag]: true }), "Missing parameter filename")
  ),
  bad("that a URL is text", post(upgrade, { ...one, url: 5 }), "url should be a string"),
  ...["download", "activate", "reboot", "pre_flight", "post_flight", "staggered_upgrade"].map((flag) =>
    bad("that a flag is a boolean", post(upgrade, { ...one, [flag]: "yes" }), `${flag} should be a boolean`)
  ),
  bad(
    "that a waiting time is an integer",
    post(upgrade, { ...one, post_waittime: "600" }),
    "post_waittime should be an integer"
  ),
  bad(
    "that the start lies in the past",
    post(upgrade, { ...one, reboot: true, start_at: "1969-12-24 02:00:00" }),
    "start_at must be in the future"
  ),
  ...["2126-12-24T02:00:00", "2126-02-31 02:00:00", "2126-02-31T02:00:00Z", "2126-12-24T02:00:00+15:00", 5].map(
    (start_at) =>
      bad(
        "how a start is written",
        post(upgrade, { ...one, start_at }),
        "Invalid date format, should be: %Y-%m-%d %H:%M:%S"
      )
  ),
  {
    name: "the order of a staggered upgrade",
    request: post("/firmware/upgradecheck", { group: "EAST_WING" }),
    reply: {
      status: 200,
      body: { data: { upgrade_groups: [["east-a1"]], device_count: 1, steps: 1 } },
      headers: { "x-total-count": "1" }
    }
  },
  bad("that a group is needed", post("/firmware/upgradecheck", {}), "No devices to upgrade were specified"),
  bad(
    "that the group is unknown",
    post("/firmware/upgradecheck", { group: "WEST" }),
    "Could not find a group with name WEST"
  ),
  bad(
    "that only access switches have an order",
    post("/firmware/upgradecheck", { group: "DEFAULT" }),
    "Upgrade order determination is only supported for ACCESS-only device groups"
  ),
  {
    ...bad(
      "that a switch hangs nowhere",
      post("/firmware/upgradecheck", { group: "EAST_WING" }),
      "Could not determine upgrade order: No devices with neighbors in the last added group found in ACCESS-only upgrade group"
    ),
    given: [`update device set state = 'MANAGED' where hostname = 'east-a2'`]
  }
]

export const firmwareCases: ReadonlyArray<Case> = [...views, ...images, ...upgrades]
