/**
 * The faults of systems other than switches, and their results: the second table of `FAULTS.md`. Each row names the test that causes the
 * fault.
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
        "requests get 503 with `Retry-After`; jobs and changes wait and continue when it returns, without a restart of the server; no job ends because of it",
      test: "scenarios/chaos/DatabaseFaults"
    },
    {
      fault: "the connection is lost while a transaction is being committed",
      outcome: "the transaction is looked up by its number, so that it happens once",
      test: "store/DatabaseClient"
    },
    {
      fault: "a connection becomes silent without being closed",
      outcome: "it is given up after a minute, and the statement is repeated",
      test: "store/DatabaseClient"
    },
    {
      fault: "no process works on an accepted job, or an ended job still has its lock",
      outcome: "the job is started again within 20 s, and the lock is removed",
      test: "jobs/engine/JobSweep"
    },
    {
      fault: "an ended job has an open change, or its outcome could not be written",
      outcome: "the device's actor looks at the switch and settles the change; its end is recorded within 15 s",
      test: "jobs/sync/OpenChanges"
    },
    {
      fault: "the embedded database is killed; its pid file names a foreign process; a second server wants its folder",
      outcome:
        "it is started again within seconds; no foreign process is signalled; the second server refuses and names the first",
      test: "scenarios/program/EmbeddedDatabase"
    },
    {
      fault: "another session has locked our tables (`VACUUM FULL`, a forgotten transaction)",
      outcome:
        "requests get 503 in time, with the holder of the lock and the time since; health and one line of the log say the same; jobs wait and continue",
      test: "store/ForeignLock"
    },
    {
      fault: "its schema is newer than the server",
      outcome: "a server refuses only if it cannot work with it, and names both releases",
      test: "store/Migrations"
    }
  ],
  "The server's own machine": [
    {
      fault:
        "no descriptors, a full disk, no inodes, no memory for the database, a database that stands still, another session's lock on our tables, removed shared memory",
      outcome:
        "work waits; no switch is blamed, no database is made and no job is lost; health says in a sentence what is missing, and the server continues automatically",
      test: "scenarios/chaos/Own"
    },
    {
      fault: "the volume of the database is missing",
      outcome: "the start refuses and creates no database; it continues when the volume is mounted again",
      test: "scenarios/chaos/Own"
    },
    {
      fault: "a command runs, or an older release starts, while the database is unreachable",
      outcome: "none of them creates a database; only `switchyard setup --new-database` does",
      test: "scenarios/program/LostDatabase"
    },
    {
      fault: "the database runs and takes no new connection, because its shared memory was removed",
      outcome: "health names it, and it is started again within seconds; no job is lost",
      test: "scenarios/program/LostMemory"
    },
    {
      fault: "names are not resolved, or a call to a switch, git or a receiver fails by an error of this machine",
      outcome: "it counts as the server's own fault: work waits, and no device is reported as unreachable",
      test: "runtime/SystemErrors"
    },
    {
      fault: "a stop while the database, a name server, git or a client hangs",
      outcome:
        "the server ends within ten seconds, and the last line of its log names unfinished work; a second signal ends it at once",
      test: "scenarios/program/StopInTime"
    }
  ],
  "Several replicas": [
    {
      fault:
        "a replica is killed, stands still, is cut from the others or from the database; PostgreSQL is restarted, loses a backend or fails over; a remote hangs; switches restart: all of this while every replica works",
      outcome:
        "every job ends with a true record, at another replica if necessary; each change happens once; nothing remains in the database or on the switches; clients see refused connections and 503 with `Retry-After`, and no wrong answer",
      test: "scenarios/chaos/World"
    }
  ],
  Repositories: [
    {
      fault:
        "a commit empties a group that something uses, removes too many VLANs, groups, templates or directories, or takes many lines from many devices",
      outcome: "409 with its effects; the old commit stays in force until the new one is confirmed by name",
      test: "scenarios/program/CommitEffects"
    },
    {
      fault:
        "a file is not a text or not a mapping, or is a Git LFS pointer, a submodule or a link that leads outside; or it contains NUL, half a surrogate pair or a control character",
      outcome:
        "the refresh names the file and the line, and the old commit stays in force; temporary files of editors are ignored and listed",
      test: "http/TextRules"
    },
    {
      fault: "the remote hangs",
      outcome: "jobs continue; refreshes of that repository wait for each other and can be aborted",
      test: "jobs/repositories/HangingRemote"
    },
    {
      fault: "a killed git has left locks in our copy",
      outcome: "they are removed when no git process of the server works there",
      test: "git/GitStaleLocks"
    },
    {
      fault: "a newer commit comes into force while a job works",
      outcome:
        "the job continues with its own commits, which its record names; devices that the newer commit changes end unsynchronized",
      test: "jobs/sync/JobCommits"
    },
    {
      fault: "a key, group, file or variable is mistyped",
      outcome:
        "the answer of the refresh says so with file, line and column; `switchyard check` does so before a merge",
      test: "scenarios/program/RepositoryWarnings"
    }
  ],
  Checks: [
    {
      fault: "a neighbour that a check reads does not answer before the change",
      outcome: "its result does not decide, and says so",
      test: "jobs/sync/NeighbourChecks"
    },
    {
      fault: "a neighbour answers no more after the change, or is worse than before",
      outcome: "the change is taken back, and the record names the neighbour",
      test: "jobs/sync/NeighbourChecks"
    },
    {
      fault: "BGP settles late",
      outcome:
        "confirmed once the session is there within the timer; otherwise taken back by the server, before the margin of the timer begins",
      test: "jobs/sync/NeighbourChecks"
    },
    {
      fault: "the server is killed before, while and after the checks of a change wait",
      outcome:
        "the next one reads what was not seen to hold, and compares with the same state of before; the switch runs what the record says",
      test: "scenarios/chaos/KillSync"
    },
    {
      fault: "the server is killed while the checks of a firmware upgrade wait",
      outcome: "the next one reads them again, without another reload; what is never read has failed",
      test: "jobs/upgrade/KillUpgrade"
    },
    {
      fault: "a monitoring system is silent, answers with an error or nonsense, or without the field",
      outcome: "unknown is not success: the change is taken back",
      test: "jobs/sync/MonitoringChecks"
    },
    {
      fault: "the plugin of a check hangs, crashes, floods, answers nonsense, or asks for a command that may write",
      outcome:
        "unknown is not success: the change is taken back; the checks of other switches go on, and the command is not given",
      test: "jobs/sync/PluginChecks"
    }
  ],
  "Switches after their job": [
    {
      fault:
        "a confirmation is answered and ignored, and the timer hidden; the session is listed as after a confirmation",
      outcome:
        "confirmed; 45 s after the end of the timer the switch is looked at again and becomes not synchronized (`commit_confirm_failed`)",
      test: "jobs/sync/ConfirmedLooks"
    }
  ],
  "Switches that hold up others": [
    {
      fault: "a switch has cut itself off, and its commit timer runs",
      outcome:
        "other syncs wait and name the job; an urgent one runs in parallel; an abort ends at once and says what the timer will take back",
      test: "jobs/engine/LockWaiting"
    },
    {
      fault: "a switch loses its power during a change",
      outcome:
        "the job holds its lock and its next batches until the timer of the switch has certainly ended, and says how many seconds that takes",
      test: "jobs/engine/LockWaiting"
    },
    {
      fault: "slow downloads, silent addresses",
      outcome:
        "they take only the places of their own kind of work; downloads have a deadline and end when they are aborted",
      test: "jobs/engine/JobPlaces"
    }
  ],
  "People and programs": [
    {
      fault:
        "a template, a port or a given configuration holds a line that a switch runs instead of storing (`commit`, `reload`, `wr`, an alias, an `exit` too many)",
      outcome:
        "it is refused before anything is sent, also in a dry run; the message names the line, the word and its origin",
      test: "jobs/sync/CandidateGate"
    },
    {
      fault: "such a line reaches a switch nevertheless",
      outcome:
        "the load stops there and names the line, open sessions are ended, a timed commit is taken back, and the record says what the switch runs",
      test: "jobs/sync/UnknownCommands"
    },
    {
      fault: "two records stand for one switch: an address, serial, MAC address or hostname in any spelling",
      outcome:
        "409 that names the other record; the doctor lists duplicates of earlier releases, and nothing is pushed to them",
      test: "http/UniqueRecords"
    },
    {
      fault:
        "the switch at an address is not the device of the record: its host key, serial number, or before the first push its hostname or model differs",
      outcome:
        "`WrongDevice`: nothing is changed or retried, and both records say so until an operator trusts the switch or corrects the record",
      test: "devices/WrongDevice"
    },
    {
      fault: "a device is edited, deleted or replaced while a change on it is open",
      outcome: "409 that names the job",
      test: "http/OpenChange"
    },
    {
      fault: "a user clears a lock whose job is about to begin or has not ended",
      outcome: "409 that names the job; the lock stays",
      test: "store/LockHolders"
    },
    {
      fault: "a template that never ends or prints too much",
      outcome:
        "its budget ends it, outside the thread of the API; the job's other devices with that template fail at once",
      test: "jobs/repositories/EndlessTemplate"
    },
    {
      fault: "large or slow bodies, hostile patterns, without a token",
      outcome: "they are refused with 413, 408 or 503; the memory of all bodies together is bounded",
      test: "http/BodyBudgets"
    },
    {
      fault: "thousands of unknown devices ask for addresses",
      outcome: "the oldest silent ones are removed; beyond that the hook must try again later",
      test: "dhcp/UnknownDevices"
    },
    {
      fault: "a person floods a pool, with one token or with many",
      outcome:
        "persons take turns: a call of another person waits for at most one of theirs, and an administrator's streams still open; beyond the bounds the answer is 429 or 503",
      test: "http/auth/Persons"
    },
    {
      fault: "an exchanged cookie of the page is used again",
      outcome: "401, and the session ends for all holders of its cookies",
      test: "http/auth/PageSessions"
    },
    {
      fault: "a receiver of alerts, or an image that a caller wants, is at a host that is not listed",
      outcome:
        "nothing is sent there, in any spelling or by a redirect; an image is refused with 400, and an alert waits and says why",
      test: "runtime/OutboundHosts"
    },
    {
      fault:
        "a call could weaken approvals: it adds an account or a token, or trusts a host key or an address of the caller's choice",
      outcome: "if the site requires it, the call waits for another person, and is carried out unchanged or not at all",
      test: "http/FourEyes"
    },
    {
      fault: "a request arrives at the moment when the port opens",
      outcome: "it is answered",
      test: "scenarios/program/FirstRequests"
    }
  ]
}
