-- [G1] Two roles for one bus. The owner makes and migrates the tables (`inbox init`, and the first start of a newer
-- program); the other reads and writes rows, and is what hubs and agents get. It cannot make, change or drop a table, a
-- function or a schema, nor see any other schema, database or file.
--
--   psql -v ON_ERROR_STOP=1 -v schema=restante -v owner=restante_owner -v app=restante_app -d restante -f postgres-roles.sql
--
-- Run it as a superuser in the database of the bus, before `inbox init` or after, and again at any time: the last run after
-- `inbox init` also takes the version of the tables out of the second role's hands. Give both roles passwords
-- (\password restante_owner), run `inbox init` as the owner, and serve as the other.

-- Two at once take turns.
select pg_advisory_lock(hashtext('restante.roles')) \gset

select format('create role %I login nosuperuser nocreatedb nocreaterole noreplication noinherit', name)
from (values (:'owner'), (:'app')) as wanted (name)
where not exists (select from pg_roles where rolname = name) \gexec

select format('create schema if not exists %I', :'schema') \gexec
select format('alter schema %I owner to %I', :'schema', :'owner') \gexec

-- Others may use this database, so what everybody may do in it is not changed here. In a database of the bus alone, also:
--   revoke all on database NAME from public; revoke create on schema public from public;
select format('grant connect on database %I to %I, %I', current_database(), :'owner', :'app') \gexec

-- What is there already, and what the owner makes from now on.
select format('revoke all on schema %I from public, %I', :'schema', :'app') \gexec
select format('grant usage on schema %I to %I', :'schema', :'app') \gexec
select format('alter %s %I.%I owner to %I', kind, :'schema', name, :'owner')
from (select 'table' as kind, tablename as name from pg_tables where schemaname = :'schema'
      union all select 'sequence', sequencename from pg_sequences where schemaname = :'schema'
        and not exists (select from pg_depend where objid = format('%I.%I', :'schema', sequencename)::regclass and deptype in ('a', 'i'))
     ) as made \gexec
select format('alter function %s owner to %I', pg_proc.oid::regprocedure, :'owner')
from pg_proc where pronamespace = to_regnamespace(format('%I', :'schema')) \gexec
select format('grant select, insert, update, delete on all tables in schema %I to %I', :'schema', :'app') \gexec
select format('grant usage, select on all sequences in schema %I to %I', :'schema', :'app') \gexec
select format('alter default privileges for role %I in schema %I grant select, insert, update, delete on tables to %I', :'owner', :'schema', :'app') \gexec
select format('alter default privileges for role %I in schema %I grant usage, select on sequences to %I', :'owner', :'schema', :'app') \gexec

-- The version of the tables is the owner's to write: a newer program under the other role is refused, and changes nothing.
select format('revoke insert, update, delete on %I.bus from %I', :'schema', :'app')
where to_regclass(format('%I.bus', :'schema')) is not null \gexec
