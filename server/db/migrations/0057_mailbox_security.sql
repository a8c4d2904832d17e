-- Readable from 0012
-- How a mailbox is reached, and whether its server has to have authenticated the sender.
alter table mailboxes
  -- Null for a mailbox that an earlier version created: TLS on port 993, otherwise STARTTLS.
  add column secure text check (secure in ('tls', 'starttls', 'none')),
  add column require_authenticated boolean not null default false,
  -- Name of the server whose Authentication-Results count; null for the topmost.
  add column authserv_id text;
