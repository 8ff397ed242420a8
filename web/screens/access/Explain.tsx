/** Who may do something and why, and what a person may do, with the lines that say so. Whoever sees only their own access asks about themselves. */
import { Button, NativeSelect, Text, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { abilities } from "../../../src/domain/words/RoleWords.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { RoleText, RulePlace } from "./Roles.tsx"
import { useSeesEverybody } from "./useAdministrator.ts"

type Explanation = Data<"GET /auth/explain">

const OTHER = "other"

/** Calls that the server judges by their method and path; the others depend on what is sent with them. */
const ASKED = abilities.filter(({ right }) => right === undefined || right === "trust")
const callOf = (words: string) => ASKED.find((one) => one.words === words)

/** Why the answer is so: the rule, and why the person has the role. */
const Why = ({ answer: { held, in_words, line, reason, role } }: { readonly answer: Explanation }) => {
  const giving = held.find((one) => one.role === role)
  return (
    <>
      <span title={reason}>{in_words}</span>
      <RulePlace lines={[line]} />
      {giving !== undefined && (
        <>
          ; {giving.because}
          <RulePlace lines={[giving.line]} />
        </>
      )}
    </>
  )
}

const Answer = ({ answer }: { readonly answer: Explanation }) => (
  <StatusWord tone={answer.allowed ? "good" : "quiet"}>{answer.allowed ? "May" : "May not"}</StatusWord>
)

interface Question {
  readonly method: string
  readonly path: string
  readonly device: string
}

const Everybody = ({ question }: { readonly question: Question }) => {
  const asked = useAsk("GET /auth/who_may", { query: queryOf(question) }, { kinds: ["person", "user", "permission"] })
  return (
    <Asked of={asked} what="who may do this">
      {({ data: { allowed_by, persons } }) => (
        <>
          <p role="status">
            <b>
              {persons.filter(({ allowed }) => allowed).length} of {persons.length} may do this.
            </b>{" "}
            {allowed_by.length === 0 ? "No role allows it." : `Roles that allow it: ${allowed_by.join(", ")}.`} People
            of the provider who have never called are not listed.
          </p>
          <SmallTable
            label="Who may do this"
            heads={["Name", "Answer", "Why"]}
            rows={persons}
            keyOf={({ person }) => person}
            cells={(one) => [<span title={one.person}>{one.name}</span>, <Answer answer={one} />, <Why answer={one} />]}
          />
        </>
      )}
    </Asked>
  )
}

const queryOf = ({ device, method, path }: Question) => ({ method, path, ...(device === "" ? {} : { device }) })

const Myself = ({ question }: { readonly question: Question }) => {
  const asked = useAsk("GET /auth/explain", { query: queryOf(question) })
  return (
    <Asked of={asked} what="whether it is allowed">
      {({ data }) => (
        <div role="status">
          <Text>
            <Answer answer={data} />: <Why answer={data} />.
          </Text>
          {data.allowed_by.length > 0 && <Text>Roles that allow it: {data.allowed_by.join(", ")}.</Text>}
        </div>
      )}
    </Asked>
  )
}

const changed =
  <A,>(draft: A, set: (draft: A) => void, field: keyof A) =>
  (event: { readonly currentTarget: { readonly value: string } }) =>
    set({ ...draft, [field]: event.currentTarget.value })

const WhoMay = () => {
  const sees = useSeesEverybody() === true
  const [{ device = "", may = "", method = "POST", path = "" }, change] = useWords()
  const [draft, setDraft] = useState({ device, may, method, path })
  const call = may === OTHER ? { method, path } : callOf(may)
  const question =
    call === undefined || call.path === ""
      ? undefined
      : { method: call.method, path: pathOn(call.path, device), device }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isOther = draft.may === OTHER
    change({
      may: draft.may,
      device: draft.device.trim(),
      method: isOther ? draft.method : undefined,
      path: isOther ? draft.path.trim() : undefined
    })
  }
  const title = sees ? "Who may do this?" : "May I do this?"
  return (
    <section aria-labelledby="explain-who" className="access-part">
      <h2 id="explain-who">{title}</h2>
      <form onSubmit={submit} aria-label={title} className="explain-form">
        <NativeSelect
          label="What"
          required
          withAsterisk={false}
          value={draft.may}
          onChange={changed(draft, setDraft, "may")}
          data={[
            { value: "", label: "Choose …", disabled: true },
            ...ASKED.map(({ words }) => ({
              value: words,
              label: `${words.charAt(0).toUpperCase()}${words.slice(1)}`
            })),
            { value: OTHER, label: "Another call …" }
          ]}
        />
        {draft.may === OTHER && (
          <>
            <NativeSelect
              label="Method"
              data={["GET", "POST", "PUT", "DELETE"]}
              value={draft.method}
              onChange={changed(draft, setDraft, "method")}
            />
            <TextInput
              label="Path behind /api/v1.0"
              required
              withAsterisk={false}
              placeholder="/device_syncto"
              value={draft.path}
              onChange={changed(draft, setDraft, "path")}
            />
          </>
        )}
        <TextInput
          label="On this switch, if it is about one"
          value={draft.device}
          onChange={changed(draft, setDraft, "device")}
        />
        <Button type="submit" variant="default">
          Ask
        </Button>
      </form>
      {question !== undefined && (sees ? <Everybody question={question} /> : <Myself question={question} />)}
    </section>
  )
}

/** The path of an ability on this switch; without one it stands for any. */
const pathOn = (path: string, device: string): string =>
  device === "" ? path : path.replace(/^\/device\/x\//, `/device/${encodeURIComponent(device)}/`)

const RolesOf = ({ held, roles }: { readonly held: Explanation["held"]; readonly roles: ReadonlyArray<string> }) => {
  const { data } = useAsk("GET /auth/roles", {}, { kinds: ["permission"] })
  const known = (data?.answer.data.roles ?? []).filter(({ name }) => roles.includes(name))
  if (roles.length === 0) return <p>They have no role, so they may do nothing.</p>
  return (
    <ul className="roles" aria-label="Their roles">
      {known.map(({ lines, name, permissions }) => {
        const giving = held.find((one) => one.role === name)
        return (
          <li key={name} className="card role" aria-labelledby={`their-${name}`}>
            <h2 id={`their-${name}`}>
              {name}
              {giving !== undefined && (
                <span>
                  {giving.because}
                  <RulePlace lines={[giving.line]} />
                </span>
              )}
            </h2>
            <RoleText lines={lines} permissions={permissions} />
          </li>
        )
      })}
    </ul>
  )
}

/** Everybody may read switches or not, which the answer leaves aside: it is asked for the roles. */
const PROBE = { method: "GET", path: "/devices" }

const WhatMay = () => {
  const sees = useSeesEverybody() === true
  const [{ person = "" }, change] = useWords()
  const people = useAsk("GET /auth/persons", {}, { enabled: sees }).data?.answer.data.persons ?? []
  const isWithdrawn = people.some((one) => one.person === person && one.withdrawn_at !== null)
  const asked = useAsk(
    "GET /auth/explain",
    { query: { ...PROBE, ...(person === "" ? {} : { person }) } },
    { kinds: ["person", "user", "permission"], enabled: !sees || person !== "" }
  )
  return (
    <section aria-labelledby="explain-what" className="access-part">
      <h2 id="explain-what">{sees ? "What may this person do?" : "What may I do?"}</h2>
      {sees && (
        <div className="explain-form">
          <NativeSelect
            label="Person"
            value={person}
            onChange={(event) => change({ person: event.currentTarget.value })}
            data={[
              { value: "", label: "Choose …" },
              ...people.map((one) => ({
                value: one.person,
                label: one.name === one.person ? one.name : `${one.name} (${one.person})`
              }))
            ]}
          />
        </div>
      )}
      {isWithdrawn && (
        <p role="status">
          <StatusWord tone="warn">Withdrawn</StatusWord>: they may do nothing until somebody lets them in again.
        </p>
      )}
      {(!sees || person !== "") && (
        <Asked of={asked} what="the roles">
          {({ data: { allowed, held, role, roles } }) =>
            allowed && role === null ? (
              <p role="status">There are no roles: everything is allowed.</p>
            ) : (
              <RolesOf held={held} roles={roles} />
            )
          }
        </Asked>
      )}
    </section>
  )
}

export const Explain = () => (
  <>
    <WhatMay />
    <WhoMay />
  </>
)
