/** A bus of the time when a call that was repeated could be granted two threads with one token. */
export function beforeTokensAreUnique(migrations: readonly string[]): string[] {
  const at = migrations.findIndex((text) => text.includes("create unique index leases_held"));
  return migrations.slice(0, at);
}

export const twoThreadsByOneToken = `
insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, priority, max_attempts, created_at, updated_at)
  select 'default', 'T', 's', 'l', 'w', 'w', 'claimed', 'normal', 5, '', '' from (values (1), (2)) as two;
insert into leases (thread_id, agent_id, lease_token, attempt, claimed_at, expires_at)
  select thread_id, 'w', 't', 1, '', '2999' from threads;`;

/** On SQLite, each by a token of its own. */
export const manyHeldThreads = (count: number) => `
begin;
with recursive counted (number) as (select 1 union all select number + 1 from counted where number < ${count})
  insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, priority, max_attempts, created_at, updated_at)
  select 'default', 'T', 's', 'l', 'w', 'w', 'claimed', 'normal', 5, '', '' from counted;
insert into leases (thread_id, agent_id, lease_token, attempt, claimed_at, expires_at)
  select thread_id, 'w', thread_id, 1, '', '2999' from threads;
commit;`;
