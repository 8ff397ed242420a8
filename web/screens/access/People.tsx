/** People: users with passwords here, and everybody who has called, with what each may do. */
import { Persons } from "./Persons.tsx"
import { Users } from "./Users.tsx"

export const People = () => (
  <>
    <section aria-labelledby="people-users" className="access-part">
      <h2 id="people-users">Users with passwords</h2>
      <Users />
    </section>
    <section aria-labelledby="people-all" className="access-part">
      <h2 id="people-all">Everybody with access</h2>
      <Persons />
    </section>
  </>
)
