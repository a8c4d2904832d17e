-- E-mails that agents of an account began to send on its latest day (UTC), for the policy `mails_a_day`.
-- What surely was not sent is taken off again.

create table mail_counts (
  account_id text collate "C" primary key references accounts (id),
  day date not null,
  sent integer not null
);
