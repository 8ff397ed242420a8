/** Firmware images and upgrades (docs/api.md#firmware-images). */
import * as Parameter from "../domain/fields/Parameter.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  DownloadRequest,
  ImagesAndDownloads,
  UpgradeCampaign,
  UpgradeCheckRequest,
  UpgradeRequest,
  VersionsOfGroup
} from "../domain/Firmware.ts"
import { Authorization, RequestBody } from "./Requests.ts"
import { documented } from "./Documented.ts"
import { BadRequest, Enveloped, JobStarted, JobStartedOnDevices, NotFound, ServiceUnavailable } from "./Answers.ts"

const filename = { filename: Schema.String }
const DefaultImages = Schema.Array(
  Schema.Struct({ default: Schema.String, file: Schema.String }).annotate({ identifier: "DefaultImage" })
)
const lists = { files: Schema.Array(Schema.String), defaults: DefaultImages }

/** The list in an envelope of its own, and next to it for clients that read one level. */
const ImageLists = Schema.Struct({
  ...Enveloped(Schema.Struct(lists).annotate({ identifier: "FirmwareFiles" })).fields,
  ...lists
})

/** The groups of a staggered upgrade, with the number of devices in `X-Total-Count`. */
const UpgradeOrderAnswer = HttpApiSchema.WithHeaders(
  Enveloped(
    Schema.Struct({
      upgrade_groups: Schema.Array(Schema.Array(Schema.String)),
      device_count: Schema.Int,
      steps: Schema.Int,
      restart_seconds: Schema.NullOr(Schema.Int)
    }).annotate({ identifier: "UpgradeOrder" })
  ),
  { "x-total-count": Schema.String }
)

const FILE = "EOS64-4.31.5M.swi"
const shown = { files: [FILE], defaults: [{ default: "EOS64-stable.swi", file: FILE }] }

const images = HttpApiGroup.make("firmware").add(
  HttpApiEndpoint.get("list", "/firmware", { success: Enveloped(ImageLists), error: NotFound }).annotateMerge(
    documented({
      name: "listFirmware",
      summary: "List firmware images",
      description: "Names of the stored images. No checksum is computed.",
      example: { response: { status: "success", data: { status: "success", data: shown, ...shown } } }
    })
  ),
  HttpApiEndpoint.post("download", "/firmware", {
    payload: DownloadRequest.schema,
    success: JobStarted,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "downloadFirmware",
        summary: "Download a firmware image",
        description:
          "Starts a job that downloads the image under the last part of its URL. The image becomes visible when it is complete and its SHA-1 is correct; the job's result is a sentence.",
        example: {
          request: {
            url: `https://images.example.org/eos/${FILE}`,
            sha1: "e0537400b5f134aa960603c9b715a8ce30306071",
            verify_tls: true
          },
          response: { status: "success", data: "Scheduled job to download firmware", job_id: 1207 }
        }
      })
    ),
  HttpApiEndpoint.get("checksum", "/firmware/:filename", { params: filename, success: JobStarted }).annotateMerge(
    documented({
      name: "checksumFirmware",
      summary: "Compute the checksum of an image",
      description: "Starts a job whose result is the SHA-1 of the image, or a sentence about the failure.",
      example: { response: { status: "success", data: "Scheduled job get firmware information", job_id: 1208 } }
    })
  ),
  HttpApiEndpoint.delete("remove", "/firmware/:filename", { params: filename, success: JobStarted })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "deleteFirmware",
        summary: "Remove an image",
        description: "Starts a job that removes the image and the default links to it.",
        example: { response: { status: "success", data: "Scheduled job to remove firmware", job_id: 1209 } }
      })
    ),
  HttpApiEndpoint.post("setDefault", "/firmware/:filename/set-default", {
    params: filename,
    success: Enveloped(Schema.Unknown),
    error: NotFound
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "setDefaultFirmware",
        summary: "Make an image the default of its family",
        description:
          "Points the link `<prefix>-stable<ext>` to the image, where prefix is the part before the first `-`.",
        example: { response: { status: "success", data: { default: "EOS64-stable.swi", file: FILE } } }
      })
    )
)

const endpoints = images.add(
  HttpApiEndpoint.post("upgrade", "/firmware/upgrade", {
    payload: UpgradeRequest.schema,
    success: JobStartedOnDevices,
    error: [BadRequest, ServiceUnavailable]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "upgradeFirmware",
        summary: "Upgrade the firmware of switches",
        description:
          "Starts a job on a managed device, on those of a list or on those of a group (`hostname`, else `hostnames`, else `group`). Each step runs if its flag is set: `pre_flight`, `download`, `activate`, `reboot`, `post_flight`. `filename` is required to download and to activate; a name that starts with `detect_arch-` is adapted to each model. `start_at` is UTC, or ISO 8601 with a zone. `staggered_upgrade` reboots in an order that leaves no switch without an uplink.",
        example: {
          request: {
            group: "ACCESS",
            filename: FILE,
            url: "http://nms.example.org/firmware",
            pre_flight: true,
            download: true,
            activate: true
          },
          response: { status: "success", data: "Scheduled job to upgrade devices", job_id: 1211 }
        }
      })
    ),
  HttpApiEndpoint.post("upgradeCheck", "/firmware/upgradecheck", {
    payload: UpgradeCheckRequest.schema,
    success: UpgradeOrderAnswer,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "checkUpgrade",
        summary: "Show the order of a staggered upgrade",
        description:
          "Groups of switches in the order in which they would be rebooted. No device is contacted. `restart_seconds` is how long a switch was usually away in the last year.",
        example: {
          request: { group: "ACCESS" },
          response: {
            status: "success",
            data: { upgrade_groups: [["a2", "a3"], ["a1"]], device_count: 3, steps: 2, restart_seconds: 240 }
          }
        }
      })
    )
)

const campaign: UpgradeCampaign = {
  job_id: 1211,
  status: "RUNNING",
  steps: ["pre_flight", "download", "activate", "reboot", "post_flight"],
  devices: [
    {
      hostname: "lhv-a1",
      group: 1,
      state: "returning",
      step: "reboot",
      steps_done: ["pre_flight", "download", "activate"],
      file: FILE,
      version_before: "4.30.1F",
      version: "4.30.1F",
      message: null,
      said: null
    }
  ],
  restart_seconds: 240
}

const views = endpoints.add(
  HttpApiEndpoint.get("versions", "/firmware_versions", {
    success: Enveloped(Schema.Struct({ groups: Schema.Array(VersionsOfGroup), all: VersionsOfGroup.fields.versions })),
    error: ServiceUnavailable
  }).annotateMerge(
    documented({
      name: "listFirmwareVersions",
      summary: "Count versions by group",
      description:
        "Managed devices of each group by version, the most frequent first, and of all groups together. An unknown version is null.",
      example: {
        response: {
          status: "success",
          data: {
            groups: [{ group: "ACCESS", devices: 3, versions: [{ os_version: "4.31.5M", count: 3 }] }],
            all: [{ os_version: "4.31.5M", count: 3 }]
          }
        }
      }
    })
  ),
  HttpApiEndpoint.get("images", "/firmware_images", {
    success: Enveloped(ImagesAndDownloads),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "listFirmwareImages",
      summary: "List images with their downloads",
      description:
        "Images with size in bytes, SHA-1 if computed, and the default links to them; and running downloads, with received and total bytes. For an external firmware server only the names.",
      example: {
        response: {
          status: "success",
          data: {
            images: [{ file: FILE, size: 1_038_041_088, sha1: null, defaults: ["EOS64-stable.swi"] }],
            downloads: [
              {
                job_id: 1207,
                status: "RUNNING",
                by: "indy",
                url: `https://images.example.org/eos/${FILE}`,
                file: FILE,
                bytes: 519_020_544,
                total: 1_038_041_088
              }
            ]
          }
        }
      }
    })
  ),
  HttpApiEndpoint.get("campaign", "/job/:id(^\\d+$)/upgrade", {
    params: { id: Parameter.id },
    success: Enveloped(UpgradeCampaign),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getUpgradeProgress",
      summary: "Read the progress of an upgrade",
      description:
        "Each device of a job `device_upgrade`, in the order of its groups: its current step, its finished steps, and why it failed. An event `firmware` `progress` reports each change.",
      example: { response: { status: "success", data: campaign } }
    })
  )
)

/** Endpoints of firmware, all with a token. */
export class FirmwareGroup extends views.middleware(Authorization) {}
