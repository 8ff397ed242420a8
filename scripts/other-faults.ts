/**
 * What others may do to the server, and what comes of it: the second table of `FAULTS.md`. Each row names the test that makes
 * the fault from outside.
 */

export interface OtherFault {
  readonly fault: string
  readonly outcome: string
  /** Below `test/`, without `.test.ts`. */
  readonly test: string
}

/** Groups in the order in which they are shown. */
export const otherFaults: Readonly<Record<string, ReadonlyArray<OtherFault>>> = {
  "The database": [
    {
      fault:
        "restarted, stopped, full, read-only, paused, out of connections, refusing logins; a backend or the postmaster killed",
      outcome:
        "requests get 503 with `Retry-After`; jobs and changes wait and go on when it is back, without a restart of the server; no job ends by it",
      test: "scenarios/chaos/DatabaseFaults"
    },
    {
      fault: "the connection is lost while a transaction is being committed",
      outcome: "the transaction is looked up by its number: it is done once",
      test: "store/DatabaseClient"
    },
    {
      fault: "a connection falls silent without being closed",
      outcome: "it is given up after a minute, and what was asked is asked again",
      test: "store/DatabaseClient"
    },
    {
      fault: "nobody works on a job that was accepted, or a job that has ended has left its lock",
      outcome: "the job is started again within 20 s, and the lock is removed",
      test: "jobs/engine/JobSweep"
    },
    {
      fault: "a job that has ended has left a change open, or its outcome could not be written",
      outcome: "the device's actor looks at the switch and settles the change; its end is recorded within 15 s",
      test: "jobs/sync/OpenChanges"
    },
    {
      fault: "the embedded database is killed; its pid file names a foreign process; a second server wants its folder",
      outcome:
        "it is started again within seconds; nothing foreign is signalled; the second server refuses and names the first",
      test: "scenarios/program/EmbeddedDatabase"
    },
    {
      fault: "its schema is newer than the server",
      outcome: "only a server that cannot work with it refuses, naming both releases",
      test: "store/Migrations"
    }
  ],
  "Several replicas": [
    {
      fault:
        "a replica is killed, stands still, is cut from the others or from the database; PostgreSQL is restarted, loses a backend or fails over; a remote hangs; switches restart: all of it while every replica works",
      outcome:
        "every job ends truthfully, at another replica if need be; each change is done once; nothing is left in the database or on the switches; clients see refused connections and 503 with `Retry-After`, and no wrong answer",
      test: "scenarios/chaos/World"
    }
  ],
  Repositories: [
    {
      fault: "the remote hangs",
      outcome: "jobs go on; refreshes of that repository wait for each other and can be aborted",
      test: "jobs/repositories/HangingRemote"
    },
    {
      fault: "a killed git has left locks in our copy",
      outcome: "they are removed when no git of ours works there",
      test: "git/GitLeftLocks"
    },
    {
      fault: "a newer commit comes into force while a job works",
      outcome:
        "the job goes on with its own commits, which its record names; devices that the newer commit changes end unsynchronized",
      test: "jobs/sync/JobCommits"
    },
    {
      fault: "a key, group, file or variable is mistyped",
      outcome:
        "the answer of the refresh says so with file, line and column; `switchyard check` does so before a merge",
      test: "scenarios/program/RepositoryWarnings"
    }
  ],
  "Switches that hold up others": [
    {
      fault: "a switch has cut itself off, and its commit timer runs",
      outcome:
        "other syncs wait and say for which job; an urgent one goes beside it; an abort ends at once and says what is left to the timer",
      test: "jobs/engine/LockWaiting"
    },
    {
      fault: "slow downloads, silent addresses",
      outcome: "take the places of their own kind of work; downloads have a deadline and end when they are aborted",
      test: "jobs/engine/JobPlaces"
    }
  ],
  "People and programs": [
    {
      fault: "a template that never ends or makes too much",
      outcome:
        "is ended by its budget, off the thread of the API; the job's other devices with that template fail at once",
      test: "jobs/repositories/EndlessTemplate"
    },
    {
      fault: "large or slow bodies, hostile patterns, without a token",
      outcome: "refused with 413, 408 or 503; the memory of all bodies together is bounded",
      test: "http/HungryBodies"
    },
    {
      fault: "thousands of unknown devices ask for addresses",
      outcome: "the oldest silent ones make room; beyond that the hook is told to come again",
      test: "dhcp/UnknownDevices"
    },
    {
      fault: "a request comes in the moment in which the port opens",
      outcome: "it is answered",
      test: "scenarios/program/FirstRequests"
    }
  ]
}
