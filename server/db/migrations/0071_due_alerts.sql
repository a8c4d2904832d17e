-- Readable from 0012
-- When an alert is checked next. Older versions go by `checked_at`, which is no longer written.
alter table alerts add column next_check_at timestamptz(3) not null default now();
create index alerts_due on alerts (account_id, next_check_at) where active;
drop index alerts_to_check;
