/**
 * Values that only one record may have (docs/api.md#what-is-unique): hostnames, serial numbers, MAC addresses, and every address in any
 * role. Each is a row under a unique index, written by triggers in the transaction of the record, so every write of a record is checked.
 * Networks of management domains and links, which must not overlap, are rows under an exclusion constraint.
 *
 * Older records that break the rule are excused: they stay unchanged, the doctor lists them, and nothing is pushed to them
 * until one of them is corrected. It only adds objects: servers of the previous release continue to work, but duplicate values are refused.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const ADDRESSES = ["management_ip", "secondary_management_ip", "dhcp_ip", "infra_ip", "oob_ip"]
/** The columns of a device that decide its rows. */
const OF_DEVICE = ["hostname", "serial", "platform", "ztp_mac", ...ADDRESSES]

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table identity_claim (
      kind text not null,
      value text not null,
      owner text not null,
      owner_id integer not null,
      excused boolean not null default false,
      primary key (kind, value, owner, owner_id)
    )`
  yield* sql`comment on table identity_claim is 'what belongs to one record alone; owner is device, linknet or mgmtdomain'`
  yield* sql`comment on column identity_claim.excused is 'another record has it too, since before this was refused'`
  yield* sql`create unique index identity_claim_unique on identity_claim (kind, value) where not excused`
  yield* sql`create index identity_claim_owner on identity_claim (owner, owner_id)`
  yield* sql`
    create table network_claim (
      network inet not null,
      owner text not null,
      owner_id integer not null,
      excused boolean not null default false,
      primary key (owner, owner_id, network),
      constraint network_claim_apart exclude using gist (network inet_ops with &&) where (not excused)
    )`
})

/** One spelling for each value; null for an invalid value. The same rules as in `domain/UniqueFields.ts`. */
const values = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function address_value(given text) returns text language plpgsql immutable as $$
      declare
        address inet;
        no_device constant inet[] := array['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32',
          '::/128', '::1/128', 'fe80::/10', 'ff00::/8']::inet[];
      begin
        if given is null or given = '' or position('/' in given) > 0 then return null; end if;
        address := given::inet;
        if address << inet '::ffff:0:0/96' then address := inet '0.0.0.0' + (address - inet '::ffff:0:0'); end if;
        return case when address <<= any(no_device) then null else host(address) end;
      exception when data_exception then return null;
      end
    $$`
  yield* sql`
    create function network_value(given text) returns inet language plpgsql immutable as $$
      begin
        return network(given::inet);
      exception when data_exception then return null;
      end
    $$`
  yield* sql`
    create function mac_value(given text) returns text language sql immutable as $$
      select case when hex ~ '^[0-9A-F][02468ACE][0-9A-F]{10}$' and hex <> '000000000000' then hex end
      from upper(regexp_replace(given, '[:.-]', '', 'g')) hex
    $$`
  // placeholders of manufacturers for a missing value
  yield* sql`
    create function serial_value(given text) returns text language sql immutable as $$
      select case when serial !~ '^(|0+|X+|NONE|N/?A|UNKNOWN|NOT (SPECIFIED|AVAILABLE|APPLICABLE)|DEFAULT STRING|SYSTEM SERIAL NUMBER|TO BE FILLED BY O\\.E\\.M\\.?)$'
        then serial end from upper(btrim(given)) serial
    $$`
})

/** The values of a record, from its row and from the rows that give it addresses. */
const identities = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const roles = sql.literal(ADDRESSES.map((name) => `('${name}', d.${name})`).join(", "))
  yield* sql`
    create function identities(of text, nr integer) returns table (kind text, value text, role text) language sql stable as $$
      select found.* from (
        select 'hostname', lower(rtrim(d.hostname, '.')), 'hostname' from device d where of = 'device' and d.id = nr
        union all
        -- a Linux router shows the number of its machine, which others may share
        select 'serial', serial_value(d.serial), 'serial' from device d
          where of = 'device' and d.id = nr and d.platform is distinct from 'frr'
        union all
        select 'mac', mac_value(d.ztp_mac), 'ztp_mac' from device d where of = 'device' and d.id = nr
        union all
        select 'address', address_value(a.given), a.role from device d cross join lateral (values ${roles}) as a (role, given)
          where of = 'device' and d.id = nr
        union all
        select 'address', address_value(r.ip), 'reserved address' from reserved_ip r where of = 'device' and r.device_id = nr
        union all
        select 'address', address_value(l.device_a_ip), 'address on linknet ' || l.id from linknet l
          where of = 'device' and l.device_a_id = nr
        union all
        select 'address', address_value(l.device_b_ip), 'address on linknet ' || l.id from linknet l
          where of = 'device' and l.device_b_id = nr
        union all
        select 'address', address_value(case when end_of = 'a' then m.device_a_ip else m.device_b_ip end),
            'address in management domain ' || m.id
          from mgmtdomain m cross join unnest(array['a', 'b']) as end_of
          where of = 'device' and case when end_of = 'a' then m.device_a_id else m.device_b_id end = nr
        union all
        select 'address', inside.ip, 'address of the network'
          from linknet l cross join lateral network_value(l.ipv4_network) as net
            cross join lateral (select host(net + step) as ip
              from generate_series(0, case when masklen(net) >= 24 then (1 << (32 - masklen(net))) - 1 else -1 end) as step) inside
          where of = 'linknet' and l.id = nr and inside.ip is distinct from address_value(l.device_a_ip)
            and inside.ip is distinct from address_value(l.device_b_ip)
        union all
        select 'address', address_value(a.given), a.role
          from mgmtdomain m cross join unnest(array[m.ipv4_gw, m.ipv6_gw]) as gateway
            cross join lateral network_value(gateway) as net
            cross join lateral (values ('gateway', split_part(gateway, '/', 1)), ('first address of the network', host(net)),
              ('broadcast address', case when family(net) = 4 then host(broadcast(net)) end)) as a (role, given)
          where of = 'mgmtdomain' and m.id = nr
      ) as found (kind, value, role) where found.value is not null
    $$`
  yield* sql`
    create function networks_of(of text, nr integer) returns setof inet language sql stable as $$
      select net from (
        select network_value(ipv4_network) from linknet where of = 'linknet' and id = nr
        union select network_value(ipv4_gw) from mgmtdomain where of = 'mgmtdomain' and id = nr
        union select network_value(ipv6_gw) from mgmtdomain where of = 'mgmtdomain' and id = nr
      ) as found (net) where net is not null
    $$`
  yield* sql`
    create function owner_name(of text, nr integer) returns text language sql stable as $$
      select case of when 'device' then (select hostname from device where id = nr) when 'linknet' then 'linknet ' || nr
        else 'management domain ' || nr end
    $$`
})

const claiming = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // a record that was excused because of it gets its own row
  yield* sql`
    create function release_identities(of text, nr integer) returns void language plpgsql as $$
      declare
        freed record;
        held record;
      begin
        for freed in delete from identity_claim c where c.owner = of and c.owner_id = nr
            and not exists (select from identities(of, nr) i where i.kind = c.kind and i.value = c.value)
            returning c.kind, c.value loop
          update identity_claim c set excused = false
            from (select e.owner, e.owner_id from identity_claim e where e.kind = freed.kind and e.value = freed.value and e.excused
              order by e.owner, e.owner_id limit 1) next
            where c.kind = freed.kind and c.value = freed.value and c.owner = next.owner and c.owner_id = next.owner_id
              and not exists (select from identity_claim h where h.kind = freed.kind and h.value = freed.value and not h.excused);
        end loop;
        if of = 'device' then return; end if;
        delete from network_claim c where c.owner = of and c.owner_id = nr and c.network not in (select networks_of(of, nr));
        for held in select * from network_claim where excused order by owner, owner_id loop
          update network_claim c set excused = false
            where c.owner = held.owner and c.owner_id = held.owner_id and c.network = held.network
              and not exists (select from network_claim h where not h.excused and h.network && held.network);
        end loop;
      end
    $$`
  yield* sql`
    create function claim_identities(of text, nr integer) returns void language plpgsql as $$
      declare clash record;
      begin
        while of <> 'device' loop
          insert into network_claim (network, owner, owner_id) select net, of, nr from networks_of(of, nr) net
            where not exists (select from network_claim c where c.owner = of and c.owner_id = nr and c.network = net)
            order by 1 on conflict do nothing;
          select net, c.network, c.owner, c.owner_id into clash from networks_of(of, nr) net
            left join network_claim c on c.network && net and not c.excused
            where not exists (select from network_claim own where own.owner = of and own.owner_id = nr and own.network = net)
            order by c.owner is null limit 1;
          exit when not found;
          continue when clash.owner is null;
          raise exception using errcode = 'unique_violation', constraint = 'identity_claim_unique', table = 'network_claim',
            message = format('network %s overlaps network %s of %s', clash.net, clash.network, owner_name(clash.owner, clash.owner_id));
        end loop;
        loop
          insert into identity_claim (kind, value, owner, owner_id)
            select distinct i.kind, i.value, of, nr from identities(of, nr) i
            where not exists (select from identity_claim c
              where c.kind = i.kind and c.value = i.value and c.owner = of and c.owner_id = nr)
            order by 1, 2 on conflict do nothing;
          select i.kind, i.value, i.role, c.owner, c.owner_id into clash from identities(of, nr) i
            left join identity_claim c on c.kind = i.kind and c.value = i.value and not c.excused
            where not exists (select from identity_claim own
              where own.kind = i.kind and own.value = i.value and own.owner = of and own.owner_id = nr)
            order by c.owner is null limit 1;
          exit when not found;
          -- one that was given back meanwhile is asked for again
          continue when clash.owner is null;
          raise exception using errcode = 'unique_violation', constraint = 'identity_claim_unique', table = 'identity_claim',
            message = format('%s %s is used already: %s of %s', clash.role, clash.value,
              (select role from identities(clash.owner, clash.owner_id) where kind = clash.kind and value = clash.value limit 1),
              owner_name(clash.owner, clash.owner_id));
        end loop;
      end
    $$`
})

const triggers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function claim_for_device() returns trigger language plpgsql as $$
      declare nr integer := case when tg_op = 'DELETE' then old.id else new.id end;
      begin
        if tg_op <> 'INSERT' then perform release_identities('device', nr); end if;
        if tg_op <> 'DELETE' then perform claim_identities('device', nr); end if;
        return null;
      end
    $$`
  // all values are released first: one end may take a value of the other
  yield* sql`
    create function claim_for_ends() returns trigger language plpgsql as $$
      declare
        old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
        new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
        nr integer := (coalesce(new_row, old_row) ->> 'id')::integer;
        ends integer[] := (select array_agg(distinct id order by id) from unnest(array[old_row ->> 'device_a_id', old_row ->> 'device_b_id',
          new_row ->> 'device_a_id', new_row ->> 'device_b_id']::integer[]) id where id is not null);
        one integer;
      begin
        perform release_identities(tg_table_name, nr);
        foreach one in array ends loop perform release_identities('device', one); end loop;
        if tg_op <> 'DELETE' then
          foreach one in array ends loop perform claim_identities('device', one); end loop;
          perform claim_identities(tg_table_name, nr);
        end if;
        return null;
      end
    $$`
  yield* sql`
    create function claim_for_reservation() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' then perform release_identities('device', old.device_id); end if;
        if tg_op <> 'DELETE' then perform claim_identities('device', new.device_id); end if;
        return null;
      end
    $$`
  const differs = (names: ReadonlyArray<string>) =>
    `(${names.map((name) => `old.${name}`).join(", ")}) is distinct from (${names.map((name) => `new.${name}`).join(", ")})`
  const ENDS = ["device_a_id", "device_a_ip", "device_b_id", "device_b_ip"]
  const tracked = [
    ["device", "claim_for_device", OF_DEVICE],
    ["linknet", "claim_for_ends", ["ipv4_network", ...ENDS]],
    ["mgmtdomain", "claim_for_ends", ["ipv4_gw", "ipv6_gw", ...ENDS]],
    ["reserved_ip", "claim_for_reservation", ["device_id", "ip"]]
  ] as const
  yield* sql`
    create function forget_identities() returns trigger language plpgsql as $$
      begin
        delete from identity_claim where owner = tg_table_name;
        delete from network_claim where owner = tg_table_name;
        return null;
      end
    $$`
  for (const [table, call, columns] of tracked) {
    yield* sql`${sql.literal(`create trigger forget_identities after truncate on ${table} execute function forget_identities()`)}`
    yield* sql`${sql.literal(`create trigger claim_identities after insert or delete on ${table} for each row execute function ${call}()`)}`
    yield* sql`${sql.literal(`create trigger claim_changed_identities after update on ${table} for each row
      when (${differs(columns)}) execute function ${call}()`)}`
  }
})

/** Of records that share a value, the one in service gets it, of several the oldest; the others are excused. */
const existing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into identity_claim (kind, value, owner, owner_id, excused)
      select kind, value, owner, owner_id, row_number() over (partition by kind, value order by rank, owner, owner_id) > 1
      from (select distinct i.kind, i.value, o.owner, o.owner_id, o.rank
        from (select 'device' as owner, id as owner_id, case state when 'MANAGED' then 0 when 'UNMANAGED' then 2 else 1 end as rank from device
          union all select 'linknet', id, 0 from linknet union all select 'mgmtdomain', id, 0 from mgmtdomain) o
        cross join lateral identities(o.owner, o.owner_id) i) found`
  yield* sql`
    do $$
      declare one record;
      begin
        for one in select o.*, net from (select 'linknet' as owner, id as owner_id from linknet
            union all select 'mgmtdomain', id from mgmtdomain) o cross join lateral networks_of(o.owner, o.owner_id) net
            order by o.owner desc, o.owner_id loop
          insert into network_claim (network, owner, owner_id, excused) values (one.net, one.owner, one.owner_id,
            exists (select from network_claim n where not n.excused and n.network && one.net));
        end loop;
      end
    $$`
})

export default Effect.gen(function* () {
  yield* tables
  yield* values
  yield* identities
  yield* claiming
  yield* triggers
  yield* existing
})
