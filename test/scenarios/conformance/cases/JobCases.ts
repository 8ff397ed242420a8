/** Jobs and locks (docs/jobs.md and docs/api.md#locks). */
import { absent, type Case } from "../Case.ts"

const abort = (id: number | string, json?: unknown) =>
  ({ method: "PUT", path: `/job/${id}`, ...(json === undefined ? {} : { json }) }) as const
const bad = (name: string, request: Case["request"], message: string): Case => ({
  name,
  request,
  reply: { status: 400, body: { status: "error", message } }
})

/** The possible statuses of a job that has the lock, except its end. */
const FINAL = ["FINISHED", "EXCEPTION", "ABORTED"]

const HELD: ReadonlyArray<{ readonly holds: string; readonly shown: string; readonly given: string }> = [
  { holds: "has not begun", shown: "SCHEDULED", given: "update job set status = 'SCHEDULED' where id = 3" },
  {
    holds: "waits for an approval",
    shown: "SCHEDULED",
    given: `update job set waiting_for = '{"reason": "approval"}' where id = 3`
  },
  { holds: "runs", shown: "RUNNING", given: "update job set status = 'RUNNING' where id = 3" },
  {
    holds: "is paused",
    shown: "RUNNING",
    given: `update job set status = 'RUNNING', waiting_for = '{"reason": "pause"}' where id = 3`
  },
  { holds: "is being aborted", shown: "ABORTING", given: "update job set status = 'ABORTING' where id = 3" },
  ...["FINISHED", "EXCEPTION", "ABORTED"].flatMap((status) => [
    {
      holds: `is ${status} and still worked on`,
      shown: status,
      given: `update job set status = '${status}', alive_at = now() where id = 3`
    },
    {
      holds: `is ${status} and has left a change open`,
      shown: status,
      given: `update job set status = '${status}' where id = 3; insert into config_change (job_id, device_id, phase, epoch, protocol, candidate)
        values (3, 4, 'expiring', 1, '{}', '')`
    }
  ])
]

export const jobCases: ReadonlyArray<Case> = [
  {
    name: "a finished job with all fields",
    request: { method: "GET", path: "/job/1" },
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [
            {
              id: 1,
              status: "FINISHED",
              scheduled_time: "2026-03-02T09:11:26.319761",
              start_time: "2026-03-02T09:11:27",
              finish_time: "2026-03-02T09:11:35.775562",
              function_name: "sync_devices (dry_run)",
              scheduled_by: "admin",
              comment: "ticket work",
              ticket_ref: "CHG-1",
              next_job_id: null,
              result: { devices: { "east-a1": { failed: false } } },
              exception: null,
              traceback: null,
              finished_devices: ["east-a1"],
              change_score: 21,
              start_arguments: { dry_run: true, hostnames: ["east-a1"] }
            }
          ]
        }
      }
    }
  },
  {
    name: "how far a job is that has kept no rows of devices",
    request: { method: "GET", path: "/job/1/progress" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: { devices: [], failures: [], totals: { devices: 0, failed: 0, not_begun: 0 }, seconds_left: null }
      }
    }
  },
  {
    name: "the differences of a job that has kept none",
    request: { method: "GET", path: "/job/1/diffs" },
    reply: {
      status: 200,
      body: { status: "success", data: { groups: [], changed: 0, unchanged: 0, failed: 0, left_out: 0 } }
    }
  },
  {
    name: "the differences of a group that is named wrongly",
    request: { method: "GET", path: "/job/1/diffs?group=first" },
    reply: {
      status: 400,
      body: { status: "error", message: "group must be the key of a group, 16 hexadecimal digits" }
    }
  },
  {
    name: "the checks of a job that has made none",
    request: { method: "GET", path: "/job/1/checks" },
    reply: { status: 200, body: { status: "success", data: { checks: [], skipped: null } } }
  },
  {
    name: "the checks of a job, what failed with before and now, and that it leaves the others out",
    given: [
      `insert into job_device (job_id, hostname, failed, reached_end, job_tasks) values (1, 'east-a1', true, true, '[{"task_name": "push", "checks": [
        {"name": "uplinks", "held": false, "before": "2 interfaces", "now": "1 interface (gone: Ethernet1)",
          "sentence": "before 2 interfaces, now 1 interface, but none may be gone", "tried": 3, "seconds": 12},
        {"name": "clock", "held": true, "before": null, "now": "1 source of time", "sentence": "1 source of time", "tried": 1,
          "seconds": 10}]}]')`,
      `update job set scheduled_by = 'indy', start_arguments = '{"skip_checks": "the route reflector is down"}' where id = 1`
    ],
    request: { method: "GET", path: "/job/1/checks" },
    reply: {
      status: 200,
      body: {
        data: {
          checks: [
            {
              name: "uplinks",
              sentence: "failed on 1 switch",
              failed: 1,
              results: [{ hostname: "east-a1", before: "2 interfaces", now: "1 interface (gone: Ethernet1)" }]
            },
            { name: "clock", sentence: "holds on 1 switch", held: 1, left_out: 0 }
          ],
          skipped: { reason: "the route reflector is down", by: "indy" }
        }
      }
    }
  },
  {
    name: "the checks of an unknown job",
    request: { method: "GET", path: "/job/99999/checks" },
    reply: { status: 404, body: { status: "error", message: "No job with id 99999 found" } }
  },
  {
    name: "viewed marks without groups",
    request: { method: "POST", path: "/job/1/viewed", json: {} },
    reply: {
      status: 400,
      body: {
        status: "error",
        message: "groups must be a list of keys of groups, 16 hexadecimal digits each, at most 1000"
      }
    }
  },
  {
    name: "viewed marks, and the marks that are kept",
    request: { method: "POST", path: "/job/1/viewed", json: { groups: ["5f0c1a2b91d3e4f0"] } },
    reply: { status: 200, body: { status: "success", data: { groups: ["5f0c1a2b91d3e4f0"] } } }
  },
  {
    name: "viewed marks that are taken back",
    request: { method: "POST", path: "/job/1/viewed", json: { groups: ["5f0c1a2b91d3e4f0"], viewed: false } },
    reply: { status: 200, body: { status: "success", data: { groups: [] } } }
  },
  {
    name: "viewed marks of an unknown job",
    request: { method: "POST", path: "/job/99999/viewed", json: { groups: [] } },
    reply: { status: 404, body: { status: "error", message: "No job with id 99999 found" } }
  },
  {
    name: "the scope of a job about no devices",
    request: { method: "GET", path: "/job/2/scope" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: { devices: 0, hostnames: [], would_change: null, rollout: null, approval: null }
      }
    }
  },
  {
    name: "the scope of an unknown job",
    request: { method: "GET", path: "/job/99999/scope" },
    reply: { status: 404, body: { status: "error", message: "No job with id 99999 found" } }
  },
  {
    name: "the approvals of jobs where nobody has asked for one",
    request: { method: "GET", path: "/approvals/jobs" },
    reply: { status: 200, body: { status: "success", data: { approvals: [] } } }
  },
  {
    name: "the diffs of an unknown job",
    request: { method: "GET", path: "/job/99999/diffs" },
    reply: { status: 404, body: { status: "error", message: "No job with id 99999 found" } }
  },
  {
    name: "the progress of an unknown job",
    request: { method: "GET", path: "/job/99999/progress" },
    reply: { status: 404, body: { status: "error", message: "No job with id 99999 found" } }
  },
  {
    name: "a job that threw, with its traceback twice",
    request: { method: "GET", path: "/job/2" },
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [
            {
              status: "EXCEPTION",
              exception: { message: "Device gone", type: "ValueError", args: ["Device gone"] },
              traceback: "ValueError: Device gone\n"
            }
          ]
        }
      }
    }
  },
  {
    name: "a job that waits",
    request: { method: "GET", path: "/job/3" },
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [
            {
              status: "SCHEDULED",
              start_time: null,
              finished_devices: null,
              result: null,
              outcome: null,
              failed_devices: null,
              counts: null
            }
          ]
        }
      }
    }
  },
  {
    name: "a result that is put together from its devices",
    given: [
      `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (3, 'east-a1', true, '[]', true)`
    ],
    request: { method: "GET", path: "/job/3" },
    reply: {
      status: 200,
      body: { data: { jobs: [{ result: { devices: { "east-a1": { failed: true, job_tasks: [] } } } }] } }
    }
  },
  ...[
    { left: ["push_sync_device", "Generate device config"], parts: "diff" },
    { left: ["push_sync_device", "Sync device config"], parts: "config,x" },
    { left: ["push_sync_device"], parts: "config, diff" }
  ].map(({ left, parts }): Case => ({
    name: "the other tasks of a result that is put together from its devices, in their order",
    given: [
      `insert into job (id, status, function_name, scheduled_time)
          values (77, 'RUNNING', 'sync_devices (dry_run)', now())`,
      `insert into job_device (job_id, hostname, failed, job_tasks, reached_end)
          values (77, 'east-a1', false, '${JSON.stringify(
            ["push_sync_device", "Generate device config", "Sync device config"].map((task_name) => ({ task_name }))
          )}', true)`
    ],
    request: { method: "GET", path: `/jobs?filter[id]=77&filter_jobresult=${encodeURIComponent(parts)}` },
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [
            {
              id: 77,
              status: "RUNNING",
              result: { devices: { "east-a1": { failed: false, job_tasks: left.map((task_name) => ({ task_name })) } } }
            }
          ]
        }
      }
    }
  })),
  {
    name: "a result without the diff",
    request: { method: "GET", path: "/job/1?filter_jobresult=diff" },
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [{ result: { devices: { "east-a1": { job_tasks: [{}, { task_name: "Generate device config" }] } } } }]
        }
      }
    }
  },
  ...["4711", "99999999999"].map((id): Case => ({
    name: "no job of that id",
    request: { method: "GET", path: `/job/${id}` },
    reply: { status: 404, body: { message: `No job with id ${id} found` } }
  })),
  {
    name: "an aborted job, with the reason and who gave it",
    request: abort(3, { action: "abort", abort_reason: "wrong image" }),
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [
            { id: 3, status: "ABORTED", result: { message: "wrong image (aborted by admin)" }, finish_time: /^\d{4}-/ }
          ]
        }
      }
    }
  },
  {
    name: "a standard reason when none is given as text",
    request: abort(3, { action: "ABORT", abort_reason: 5 }),
    reply: {
      status: 200,
      body: { data: { jobs: [{ result: { message: "Aborted via API call (aborted by admin)" } }] } }
    }
  },
  {
    name: "a running job that is coming to its end",
    given: [`update job set status = 'RUNNING' where id = 3`],
    request: abort(3, { action: "ABORT" }),
    reply: { status: 200, body: { data: { jobs: [{ id: 3, status: "ABORTING" }] } } }
  },
  {
    name: "a sync that is paused, with who and why",
    given: [
      `update job set status = 'RUNNING', function_name = 'sync_devices', start_arguments = '{"dry_run": false}' where id = 3`
    ],
    request: abort(3, { action: "pause", pause_reason: "a ticket came in" }),
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [
            {
              id: 3,
              status: "RUNNING",
              waiting_for: { reason: "pause", by: "admin", why: "a ticket came in", since: /^\d{4}-/ }
            }
          ]
        }
      }
    },
    afterwards: [
      {
        path: "/audit?filter[kind]=job&filter[action]=paused",
        body: { data: { events: [{ job_id: 3, actor: "admin" }] } }
      }
    ]
  },
  bad(
    "that only a sync can be paused",
    abort(1, { action: "PAUSE" }),
    "Job 1 cannot be paused: it is FINISHED, and must be RUNNING"
  ),
  bad("that the job is not paused", abort(3, { action: "RESUME" }), "Job 3 cannot be resumed: it is not paused"),
  bad("that an action is needed", abort(3, {}), "Action must be specified"),
  bad("that an action is needed, for no body at all", abort(4711), "Action must be specified"),
  bad("that the action is unknown", abort(1, { action: "stop" }), "Unknown action: STOP"),
  bad("that a number is no action", abort(3, { action: 5 }), "Unknown action: 5"),
  bad(
    "that the job has ended",
    abort(1, { action: "ABORT" }),
    "Job id 1 is in state JobStatus.FINISHED, must be SCHEDULED or RUNNING to abort"
  ),
  {
    name: "no job of that id, before the action is looked at",
    request: abort(4711, { action: "stop" }),
    reply: { status: 404, body: { message: "No job with id 4711 found" } }
  },
  {
    name: "the locks that are held",
    request: { method: "GET", path: "/joblocks" },
    reply: {
      status: 200,
      body: {
        data: { locks: [{ job_id: 1, name: "devices", start_time: "2026-03-02 09:12:07.788892", abort: false }] }
      }
    }
  },
  {
    name: "the cleared lock of a dead job",
    request: { method: "DELETE", path: "/joblocks", json: { name: "devices" } },
    reply: { status: 200, body: { data: { name: "devices", status: "deleted" } } },
    afterwards: [{ path: "/joblocks", body: { data: { locks: [] } } }]
  },
  ...[{}, { name: "" }, { name: null }].map((json) =>
    bad("that a name is needed", { method: "DELETE", path: "/joblocks", json }, "No lock name specified")
  ),
  ...["interfaces", 5].map((name): Case => ({
    name: "no lock of that name",
    request: { method: "DELETE", path: "/joblocks", json: { name } },
    reply: { status: 404, body: { message: "No such lock found in database" } }
  })),
  ...HELD.map(({ given, holds, shown }): Case => ({
    name: `that a lock is held by a job that ${holds}`,
    given: ["update joblock set job_id = 3", `update job set start_time = now() where id = 3`, given],
    request: { method: "DELETE", path: "/joblocks", json: { name: "devices" } },
    reply: {
      status: 409,
      body: {
        status: "error",
        message: `The lock devices is held by job 3 (update_facts), ${
          FINAL.includes(shown)
            ? `which has its result (${shown}), but whose last work has not ended: try again in a minute`
            : `which is ${shown}: wait until it ends, or abort it`
        }`,
        data: absent
      }
    },
    afterwards: [{ path: "/joblocks", body: { data: { locks: [{ job_id: 3, name: "devices" }] } } }]
  })),
  ...["FINISHED", "EXCEPTION", "ABORTED"].map((status): Case => ({
    name: `that a lock is gone whose job is ${status} and left alone`,
    given: [`update job set status = '${status}', alive_at = now() - interval '1 minute' where id = 1`],
    request: { method: "DELETE", path: "/joblocks", json: { name: "devices" } },
    reply: { status: 200, body: { data: { name: "devices", status: "deleted" } } },
    afterwards: [{ path: "/joblocks", body: { data: { locks: [] } } }]
  })),
  ...["RUNNING", "ABORTING"].map((status): Case => ({
    name: "which job is running while the lock cannot be cleared",
    given: [`update job set status = '${status}' where id = 3`],
    request: { method: "DELETE", path: "/joblocks", json: { name: "devices" } },
    reply: {
      status: 409,
      body: {
        status: "error",
        message: /^Cannot delete lock while jobs are running: job 3 \(\w+ since .+\)$/,
        data: absent
      }
    }
  }))
]
