-- Readable from 0012
-- Files that people upload and agents write, their contents and their text.

-- Where contents are, so that what a crash or a deletion left behind is found. `arriving` comes before the first
-- byte is stored, `kept` with the file; the background removes all others once `due_at` has come.
create table file_contents (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  store text collate "C" not null,
  state text not null default 'arriving' check (state in ('arriving', 'kept', 'dropping')),
  due_at timestamptz(3) default now() + interval '1 hour',
  primary key (account_id, id),
  check ((state = 'kept') = (due_at is null))
);
-- Over all accounts, by time.
create index file_contents_due on file_contents (due_at) where due_at is not null;

-- Contents that are in this database, a megabyte a row.
create table file_chunks (
  account_id text collate "C" not null,
  content_id text collate "C" not null,
  position integer not null,
  body bytea not null,
  primary key (account_id, content_id, position)
);
-- Parts of it can be read; images and PDFs are compressed already.
alter table file_chunks alter column body set storage external;

-- The text of contents: pages of a PDF, or pieces of a text, from 1.
create table file_pages (
  account_id text collate "C" not null,
  content_id text collate "C" not null,
  page integer not null,
  text text not null,
  primary key (account_id, content_id, page)
);

create table files (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  content_id text collate "C" not null,
  name text not null,
  media_type text collate "C" not null,
  bytes integer not null,
  sha256 text collate "C" not null,
  -- Of a PDF.
  pages integer,
  -- Of an image.
  width integer,
  height integer,
  -- Null for images.
  text_status text check (text_status in ('complete', 'cut', 'none')),
  text_chars integer,
  -- Rows of `file_pages`.
  text_pages integer not null default 0,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, content_id) references file_contents (account_id, id)
);
create index files_by_account on files (account_id, created_at desc, id desc);

-- What a run was given, and what its agents wrote. It outlives the file.
create table run_files (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  direction text not null check (direction in ('input', 'output')),
  position integer not null,
  file_id text collate "C" not null,
  -- The step that wrote it.
  step_position integer,
  name text not null,
  media_type text collate "C" not null,
  bytes integer not null,
  primary key (account_id, run_id, direction, position),
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade
);
create index run_files_by_file on run_files (account_id, file_id);

-- Bytes that an account's files may have; null means as many as the service allows by default.
alter table accounts add column max_file_bytes bigint;
