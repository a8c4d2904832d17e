-- Readable from 0012
-- The history of this database. A new epoch begins when it is found to be another than the one that was
-- left: on a promoted standby, restored from a backup, in a copied data folder.
create table epochs (
  number integer primary key,
  reason text not null check (reason in ('first', 'promoted', 'restored', 'copied')),
  -- Where it runs; null until a process has looked.
  system_identifier text,
  timeline integer,
  -- Of the folder of an embedded database.
  home text,
  -- What began before may have gone further than is known here.
  in_doubt boolean not null default false,
  -- No webhook is sent until an operator says so.
  deliveries_held boolean not null default false,
  began_at timestamptz(3) not null default now()
);
insert into epochs (number, reason) values (0, 'first');

-- In which epoch a run began.
alter table runs add column epoch integer not null default 0;
-- In which epoch a call was asked for, or decided.
alter table tool_calls add column epoch integer not null default 0;

-- Events that a process had been told were written, and that the next epoch lacks. Without foreign keys: their
-- runs and accounts may be lost as well.
create table losses (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  epoch integer not null,
  noticed_at timestamptz(3) not null default now(),
  primary key (account_id, run_id, event_id)
);
