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
      fault: "another session has locked our tables (`VACUUM FULL`, a forgotten transaction)",
      outcome:
        "requests get 503 in time, with who has the lock and since when; health and one line of the log say the same; jobs wait and go on",
      test: "store/ForeignLock"
    },
    {
      fault: "its schema is newer than the server",
      outcome: "only a server that cannot work with it refuses, naming both releases",
      test: "store/Migrations"
    }
  ],
  "The server's own machine": [
    {
      fault:
        "no descriptors, a full disk, no inodes, no memory for the database, a database that stands still, somebody else's lock on our tables, shared memory that is removed",
      outcome:
        "work waits; no switch is blamed, no database is made and no job is lost; health says in a sentence what is lacking, and the server goes on by itself",
      test: "scenarios/chaos/Own"
    },
    {
      fault: "the volume of the database is not there",
      outcome: "the start refuses and makes no database; it goes on when the volume is there again",
      test: "scenarios/chaos/Own"
    },
    {
      fault: "a command runs, or an older release starts, while the database is away",
      outcome: "no database is made by any of them; `switchyard setup --new-database` makes one for who means it",
      test: "scenarios/program/LostDatabase"
    },
    {
      fault: "the database runs and takes no new connection, because its shared memory was removed",
      outcome: "health names it, and it is started again within seconds; no job is lost",
      test: "scenarios/program/LostMemory"
    },
    {
      fault: "names are not resolved, or an error of this machine's own meets a call to a switch, git or a receiver",
      outcome: "it counts as the server's own: work waits, and no device is called unreachable",
      test: "runtime/SystemErrors"
    },
    {
      fault: "a stop while the database, a name server, git or a client hangs",
      outcome:
        "the server ends within ten seconds, and the last line of its log says what was left; a second signal ends it at once",
      test: "scenarios/program/StopInTime"
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
      fault:
        "a commit empties a group that something uses, removes too many VLANs, groups, templates or directories, or takes many lines from many devices",
      outcome: "409 with its effects; the old commit stays in force until the new one is confirmed by name",
      test: "scenarios/program/CommitEffects"
    },
    {
      fault:
        "a file is no text, a Git LFS pointer, a submodule, a link that leads outside, or no mapping; or it holds NUL, half a surrogate pair or a control character",
      outcome:
        "the refresh names the file and the line, and the old commit stays in force; files that editors leave behind are ignored and listed",
      test: "http/Texts"
    },
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
      fault: "a switch loses its power in mid-change",
      outcome:
        "the job holds its lock and its next batches until the timer of the switch has certainly ended and no longer, and says how many seconds that is",
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
      fault:
        "a template, a port or a given configuration holds a line that a switch runs instead of storing (`commit`, `reload`, `wr`, an alias, an `exit` too many)",
      outcome:
        "refused before anything is sent, also in a dry run; the sentence names the line, the word and where it comes from",
      test: "jobs/sync/CandidateGate"
    },
    {
      fault: "such a line reaches a switch all the same",
      outcome:
        "the load stops there and names the line, open sessions are ended, a timed commit is taken back, and the record says what the switch runs",
      test: "jobs/sync/LeftConfiguration"
    },
    {
      fault: "two records stand for one switch: an address, serial, MAC address or hostname in any spelling",
      outcome:
        "409 that names the other record; duplicates of earlier releases are listed by the doctor and get nothing pushed",
      test: "http/WhatIsUnique"
    },
    {
      fault:
        "the switch at an address is not the device of the record: its host key, serial number, or before the first push its hostname or model differs",
      outcome:
        "`WrongDevice`: nothing is changed, nothing is tried again, and both records say so until an operator trusts the switch or corrects the record",
      test: "devices/WrongDevice"
    },
    {
      fault: "a device is edited, deleted or replaced while a change on it is open",
      outcome: "409 that names the job",
      test: "http/OpenChange"
    },
    {
      fault: "somebody clears a lock whose job is about to begin or has not ended",
      outcome: "409 that names the job; the lock stays",
      test: "store/Holders"
    },
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
      fault: "a person floods a pool, with one token or with many",
      outcome:
        "persons take turns: one call of somebody else waits behind one of theirs at most, and an administrator's streams are still opened; beyond the bounds 429 or 503",
      test: "http/auth/Persons"
    },
    {
      fault: "a cookie of the page that was exchanged already is used again",
      outcome: "401, and the session ends for everybody who has a cookie of it",
      test: "http/auth/PageSessions"
    },
    {
      fault: "a receiver of alerts, or what a caller wants fetched, is at a host that is not named",
      outcome:
        "nothing is sent there, by any spelling or redirect; an image is refused with 400, and an alert waits and says why",
      test: "runtime/OutboundHosts"
    },
    {
      fault: "somebody would undermine approvals: an account, a token, a host key or an address of their choice",
      outcome:
        "where the site asks for it the call waits for another person, and is carried out as it was asked, or not at all",
      test: "http/FourEyes"
    },
    {
      fault: "a request comes in the moment in which the port opens",
      outcome: "it is answered",
      test: "scenarios/program/FirstRequests"
    }
  ]
}
