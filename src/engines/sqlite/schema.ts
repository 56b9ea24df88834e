/**
 * Schema versions, oldest first; the position is the version (`pragma user_version`). Never edit one that
 * has landed: add the next. Tables and columns are named as in the first draft of the protocol; ids are the
 * numbers behind `thr_`, `msg_` and `art_`. AUTOINCREMENT because a plain rowid is reused after a delete.
 */
export const migrations: readonly string[] = [
  `
create table threads (
  thread_id integer primary key autoincrement,
  run_id text not null,
  task_id text not null,
  subject text not null,
  created_by text not null,
  assigned_to text not null,
  addressed_to text not null,
  status text not null,
  priority text not null default 'normal',
  priority_rank integer not null generated always as (case priority when 'high' then 0 when 'normal' then 1 else 2 end) virtual,
  max_attempts integer not null default 5,
  latest_message_id integer,
  created_at text not null,
  updated_at text not null
) strict;
-- First on purpose: between equally good indexes SQLite takes the later one, and a status alone narrows little.
create index threads_status on threads (status, thread_id);
create index threads_fetch on threads (assigned_to, status, priority_rank, thread_id);
create index threads_lapsed on threads (addressed_to, status, priority_rank, thread_id);
create index threads_assigned on threads (assigned_to, thread_id);
create index threads_created on threads (created_by, thread_id);
create index threads_run on threads (run_id, thread_id);

create table messages (
  message_id integer primary key autoincrement,
  thread_id integer references threads (thread_id),
  from_agent text not null,
  to_agent text not null,
  kind text not null,
  summary text not null,
  body text not null default '',
  payload_json text not null default '{}',
  created_at text not null,
  acked_at text,
  acked_by text
) strict;
create index messages_thread on messages (thread_id, message_id);
create index messages_inbox on messages (to_agent, message_id) where acked_at is null;

create table artifacts (
  artifact_id integer primary key autoincrement,
  message_id integer not null references messages (message_id),
  path text not null,
  kind text not null,
  metadata_json text not null default '{}',
  created_at text not null
) strict;
create index artifacts_message on artifacts (message_id);

create table leases (
  thread_id integer primary key references threads (thread_id),
  agent_id text not null,
  lease_token text not null,
  attempt integer not null,
  claimed_at text not null,
  expires_at text not null,
  released_at text
) strict;
create index leases_held on leases (agent_id) where released_at is null;

create table lost_leases (
  thread_id integer not null references threads (thread_id),
  attempt integer not null,
  agent_id text not null,
  lease_token text not null,
  lost_at text not null,
  primary key (thread_id, attempt)
) strict, without rowid;

create table thread_reads (
  thread_id integer not null references threads (thread_id),
  agent_id text not null,
  last_read_message_id integer not null references messages (message_id),
  last_read_at text not null,
  primary key (thread_id, agent_id)
) strict, without rowid;

create table agents (
  name text primary key,
  first_seen_at text not null,
  last_seen_at text not null
) strict, without rowid;

create table pool_members (
  agent_id text not null,
  pool text not null,
  joined_at text not null,
  primary key (agent_id, pool)
) strict, without rowid;
create index pool_members_pool on pool_members (pool, agent_id);

create table events (
  event_id integer primary key autoincrement,
  run_id text,
  task_id text,
  thread_id integer,
  source text not null,
  event_type text not null,
  status text,
  created_by text,
  assigned_to text,
  to_agent text,
  message_id integer,
  summary text not null default '',
  payload_json text not null default '{}',
  created_at text not null
) strict;
create index events_thread on events (thread_id, event_id);
`,
  `
alter table messages add column verified integer not null default 0;
alter table messages add column correlation_id text;
alter table messages add column reply integer not null default 0;
alter table messages add column task_id text;
alter table messages add column expires_at text;
alter table messages add column delivery_id text;
alter table messages add column hidden_until text;
alter table messages add column manual integer not null default 0;
alter table messages add column lapses integer not null default 0;
alter table messages add column handed integer not null default 0;
alter table messages add column first_handed_at text;
alter table messages add column dead_at text;
alter table messages add column dead_reason text;

update messages set task_id = (select threads.task_id from threads where threads.thread_id = messages.thread_id);

drop index messages_inbox;
create index messages_channel on messages (to_agent, message_id);
create index messages_waiting on messages (to_agent, message_id) where acked_at is null and dead_at is null;
create index messages_delivery on messages (delivery_id) where delivery_id is not null;
create index messages_correlation on messages (correlation_id, reply, message_id) where correlation_id is not null;
create index messages_expiring on messages (expires_at) where expires_at is not null;
create index messages_acked on messages (acked_at) where acked_at is not null and thread_id is null;
create index messages_manual on messages (to_agent, hidden_until) where manual = 1 and acked_at is null and dead_at is null;
create index messages_dead on messages (message_id) where dead_at is not null;

create table readers (
  channel text not null,
  reader text not null,
  position integer not null,
  committed_at text not null,
  primary key (channel, reader)
) strict, without rowid;

create table pruned (
  channel text not null,
  from_id integer not null,
  to_id integer not null,
  primary key (channel, from_id)
) strict, without rowid;

create table idempotency_keys (
  sender text not null,
  idempotency_key text not null,
  operation text not null,
  input_json text not null,
  result_json text not null,
  created_at text not null,
  primary key (sender, idempotency_key)
) strict, without rowid;
create index idempotency_keys_age on idempotency_keys (created_at);

create table tokens (
  token_id integer primary key autoincrement,
  agent_id text not null,
  scope text not null,
  token_hash text not null unique,
  created_at text not null,
  revoked_at text
) strict;
`,
  `
create index messages_hidden on messages (to_agent, hidden_until) where hidden_until is not null and acked_at is null and dead_at is null;

create table bus (
  bus_id text not null
) strict;
insert into bus (bus_id) values (lower(hex(randomblob(16))));

create table outbox (
  message_id integer primary key,
  agent_id text not null
) strict;
`,
  `
create table workspaces (
  workspace_id text primary key,
  path text not null,
  label text not null,
  agent_id text not null,
  created_at text not null
) strict, without rowid;

create table entries (
  entry_number integer primary key autoincrement,
  entry_id text not null unique,
  workspace_id text,
  workspace_label text,
  docs_json text not null,
  comments text not null,
  created_at text not null,
  read_at text
) strict;
create index entries_workspace on entries (workspace_id, entry_number);
`,
  `
create table tasks (
  task_number integer primary key autoincrement,
  name text not null,
  parent text not null,
  status text not null,
  prompt text not null,
  profile text,
  model text,
  cwd text not null,
  timeout_ms integer,
  priority text not null default 'normal',
  priority_rank integer not null generated always as (case priority when 'high' then 0 when 'normal' then 1 else 2 end) virtual,
  place integer not null,
  retries integer not null default 0,
  attempt integer not null default 0,
  worker text,
  thread_id integer references threads (thread_id),
  not_before text,
  keeper_token text,
  leased_until text,
  host text,
  keeper text,
  child text,
  folder text,
  session text,
  token_id integer references tokens (token_id),
  killed_by text,
  kill_reason text,
  created_at text not null,
  started_at text,
  finished_at text,
  success integer,
  error text,
  in_turn integer not null default 1
) strict;
create unique index tasks_live on tasks (name) where status <> 'finished';
create index tasks_name on tasks (name, task_number);
create index tasks_due on tasks (status, parent, priority_rank, place) where status <> 'finished';
create index tasks_parent on tasks (parent, status, task_number);
create index tasks_ended on tasks (finished_at, task_number) where status = 'finished';
create index tasks_ended_of on tasks (parent, finished_at, task_number) where status = 'finished';
create index tasks_thread on tasks (thread_id) where thread_id is not null;

create table task_dependencies (
  task_number integer not null references tasks (task_number),
  after_number integer not null references tasks (task_number),
  primary key (task_number, after_number)
) strict, without rowid;
create index task_dependencies_after on task_dependencies (after_number);

create table queues (
  agent_id text primary key,
  slots integer
) strict, without rowid;

create table supervision (
  holder text primary key,
  leased_until text not null,
  hub_url text
) strict, without rowid;
`,
  // Since when somebody is taking it to the carrier.
  `
alter table outbox add column taken_at text;
`,
  `
alter table entries add column sender text;
alter table entries add column kind text;
alter table entries add column thread_id integer;
alter table entries add column message_id integer;
alter table entries add column choices_json text;
alter table entries add column answered_at text;
alter table entries add column deleted_at text;
drop index entries_workspace;
create index entries_time on entries (created_at, entry_number);
create index entries_workspace on entries (workspace_id, created_at, entry_number);
create index entries_unread on entries (created_at, entry_number) where read_at is null and deleted_at is null;
create index entries_unread_workspace on entries (workspace_id, created_at, entry_number) where read_at is null and deleted_at is null;
create index workspaces_agent on workspaces (agent_id);
create index entries_deleted on entries (deleted_at) where deleted_at is not null;

create table erased_entries (
  erased_number integer primary key autoincrement,
  entry_id text not null unique,
  entry_number integer not null,
  created_at text not null
) strict;

create virtual table search_words using fts5(
  title, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
);
create table search_progress (
  event_id integer not null
) strict;
insert into search_progress (event_id) values (0);
`,
  // Words by parts of the index, made anew from what they are of.
  `
create table search_parts (
  kind integer primary key,
  part integer not null,
  words integer not null
) strict;
insert into search_words (search_words) values ('delete-all');
update search_progress set event_id = 0;
`,
  // Calls that were given up before they were answered.
  `
create table given_up_calls (
  call_id text primary key,
  given_up_at text not null
) strict, without rowid;
`,
  // A pool is there also while nobody is in it: what is sent to it then can say so.
  `
create table pools (
  pool text primary key,
  created_at text not null
) strict, without rowid;
insert into pools (pool, created_at) select pool_members.pool, min(pool_members.joined_at) from pool_members group by pool_members.pool;
`,
  // How long a lease holds without a renewal: whoever renews it for its holder renews it for as long.
  `
alter table leases add column lease_seconds integer not null default 900;
`,
  // Every token that a later claim has replaced, and by whom: a holder may claim again within one attempt.
  `
create table lost_tokens (
  thread_id integer not null references threads (thread_id),
  lease_token text not null,
  attempt integer not null,
  agent_id text not null,
  lost_at text not null,
  taken_by text not null,
  primary key (thread_id, lease_token)
) strict, without rowid;
insert into lost_tokens select thread_id, lease_token, attempt, agent_id, lost_at, '' from lost_leases;
drop table lost_leases;
alter table lost_tokens rename to lost_leases;
`,
  // What a task may do, why it failed, and what it is handed of its pusher's environment; which process supervises.
  `
alter table tasks add column permission text;
alter table tasks add column reason text;
alter table tasks add column env_json text;
alter table supervision add column process text;
`,
  // [U6] How a person gets back into the session of a workspace.
  `
alter table workspaces add column session_command text;
`,
  // [Y1] What is deleted when, and how far the events are; [Y5] quotas, and what was used of them. A sub-agent has ended also
  // where nothing else is left of it. The indexes find what is old, and what refers to what is deleted.
  `
create table retention (
  kind text primary key,
  max_age_seconds integer,
  max_count integer,
  pruned_to integer
) strict, without rowid;

create table quotas (
  agent_id text primary key,
  messages_per_minute integer,
  bytes_per_day integer,
  open_threads integer,
  sub_agents integer
) strict, without rowid;

create table quota_usage (
  agent_id text primary key,
  minute text not null,
  messages integer not null,
  day text not null,
  bytes integer not null
) strict, without rowid;

alter table search_progress add column kind integer not null default 0;
alter table search_progress add column ref integer not null default 0;

alter table agents add column ended_at text;

create index threads_ended on threads (updated_at, thread_id) where status in ('done', 'failed', 'cancelled');
create index threads_open on threads (created_by) where status in ('pending', 'claimed', 'in_progress', 'blocked');
create index thread_reads_message on thread_reads (last_read_message_id);
create index messages_dead_since on messages (dead_at, message_id) where dead_at is not null;
create index entries_read on entries (read_at, entry_number) where read_at is not null;
create index entries_message on entries (message_id) where message_id is not null;
create index entries_thread on entries (thread_id) where thread_id is not null;
create index tasks_token on tasks (token_id) where token_id is not null;
`,
  // [U10] [U11] [U12] What was answered and by whom, what needs the person, what is archived or snoozed, and whom it muted.
  `
alter table entries add column answered_by text;
alter table entries add column answer text;
alter table entries add column needs text;
alter table entries add column failure_json text;
alter table entries add column archived_at text;
alter table entries add column snoozed_at text;
alter table entries add column snoozed_until text;

update entries set needs = 'answer' where answered_at is null and (kind = 'question' or choices_json is not null)
  and not exists (select 1 from threads where threads.thread_id = entries.thread_id and threads.status in ('done', 'failed', 'cancelled'));

create table mutes (
  kind text not null,
  name text not null,
  created_at text not null,
  primary key (kind, name)
) strict, without rowid;

create index entries_needs on entries (created_at, entry_number) where needs is not null and deleted_at is null and archived_at is null;
create index entries_archived on entries (created_at, entry_number) where archived_at is not null and deleted_at is null;
create index entries_snoozed on entries (created_at, entry_number) where snoozed_at is not null;
`,
  // [A1] Worktrees of tasks; [A4] what a task that goes on is told; [A7] the audit trail.
  `
create table worktrees (
  task_number integer primary key references tasks (task_number),
  state text not null,
  repository text not null,
  prefix text not null,
  base text not null,
  into_branch text,
  branch text,
  path text,
  tip text,
  commits integer,
  files integer,
  insertions integer,
  deletions integer,
  merged_into text,
  merged_commit text
) strict, without rowid;

alter table tasks add column follow_up text;

create table audit (
  audit_id integer primary key autoincrement,
  at text not null,
  action text not null,
  question text not null,
  agent_id text not null,
  to_agent text,
  choice text,
  text text not null,
  surface text not null,
  verified integer not null,
  task text,
  task_number integer
) strict;

create index audit_question on audit (question, audit_id);
`,
  // Whether any lease has lapsed is one look: a claim walks through those of its agent only then.
  `
create index leases_lapsing on leases (expires_at) where released_at is null;
`,
  // [A11] What tasks may use and have used, by task and by day.
  `
alter table tasks add column parent_number integer;
alter table tasks add column budget_tokens integer;
alter table tasks add column budget_micro_usd integer;

create table task_usage (
  task_number integer primary key references tasks (task_number),
  input_tokens integer not null,
  cached_tokens integer not null,
  output_tokens integer not null,
  micro_usd integer,
  turns integer not null,
  below_input_tokens integer not null,
  below_cached_tokens integer not null,
  below_output_tokens integer not null,
  below_micro_usd integer,
  below_turns integer not null,
  attempt_mark text,
  attempt_json text,
  session_json text
) strict, without rowid;

create table daily_usage (
  day text primary key,
  input_tokens integer not null,
  cached_tokens integer not null,
  output_tokens integer not null,
  micro_usd integer,
  turns integer not null
) strict, without rowid;

create table usage_limits (
  period text primary key,
  tokens integer,
  micro_usd integer
) strict, without rowid;
`,
  // [A12] Reviews of tasks; [A13] what interrupts one.
  `
alter table tasks add column review text;
alter table tasks add column review_rounds integer;
alter table tasks add column review_json text;
alter table tasks add column review_of integer;
alter table tasks add column interrupt_id integer;
`,
  // [U15] What the person last read of a document, and where push notifications go.
  `
create table seen_documents (
  workspace_id text not null,
  path text not null,
  entry_id text not null,
  seen_at text not null,
  text text not null,
  primary key (workspace_id, path)
) strict, without rowid;

create index seen_documents_entry on seen_documents (entry_id);
create index seen_documents_age on seen_documents (seen_at);

create table notification_keys (
  public_key text primary key not null,
  private_key text not null,
  created_at text not null
) strict, without rowid;

create table notification_subscriptions (
  endpoint text primary key not null,
  p256dh text not null,
  auth text not null,
  agent_id text not null,
  created_at text not null
) strict, without rowid;
`,
  // What is asked at the end of every task, and of every name that is no task's.
  `
create index audit_task on audit (task_number) where task_number is not null;
create index worktrees_branch on worktrees (branch) where branch is not null;
`,
  // [Y1] Retention of topics deletes what nobody has acked: whoever reads only that has a gap there, too.
  `
alter table pruned add column unacked_to integer not null default 0;
`,
  // For `in` with more than two values SQLite makes a table of them, in every write that touches such an index: a change of
  // a thread's status took twice as long. Nobody looks for lapsed leases of threads that are pending or have ended.
  `
drop index threads_ended;
drop index threads_open;
drop index threads_lapsed;
create index threads_ended on threads (updated_at, thread_id) where status = 'done' or status = 'failed' or status = 'cancelled';
create index threads_open on threads (created_by) where status = 'pending' or status = 'claimed' or status = 'in_progress' or status = 'blocked';
create index threads_lapsed on threads (addressed_to, status, priority_rank, thread_id) where status = 'claimed' or status = 'in_progress' or status = 'blocked';
`,
  // A message that belongs to no thread is in neither index: two pages fewer to write.
  `
drop index messages_thread;
drop index events_thread;
create index messages_thread on messages (thread_id, message_id) where thread_id is not null;
create index events_thread on events (thread_id, event_id) where thread_id is not null;
`,
  // A write that is one statement is found by this if its answer was lost.
  `
alter table events add column mark integer;
`,
  // A message is in the index of those that wait, or in that of the others; a thread has one by its agent. Almost every one of
  // them had another page to write.
  `
drop index messages_channel;
create index messages_past on messages (to_agent, message_id) where acked_at is not null or dead_at is not null;
drop index threads_assigned;
`,
  // A call that is repeated while it runs is granted one thread: a token is held once. Where it was granted two, nobody knows of
  // the second, and its lease will lapse.
  `
update leases set lease_token = lower(hex(randomblob(12)))
where released_at is null and thread_id not in (
  select min(held.thread_id) from leases as held where held.released_at is null group by held.agent_id, held.lease_token);
drop index leases_held;
create unique index leases_held on leases (agent_id, lease_token) where released_at is null;
`,
];
