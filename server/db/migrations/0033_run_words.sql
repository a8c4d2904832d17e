-- Readable from 0012
-- Runs are found by words of their input and output. The index is filled after the run's end, by a loop of its own.

-- The runs that ended in the sums of a row, for the index. It travels with a row that a run's end writes anyway.
alter table usage_deltas add column run_ids text[] collate "C";

-- One row for each run that ended. Each word is a hash of the account and the word, so that one index serves all
-- accounts and has no text in it. Without a foreign key, as steps are.
create table run_words (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  -- Null until the run's texts are read.
  words bigint[],
  -- The run's own, from then on.
  created_at timestamptz(3),
  primary key (account_id, run_id)
);
create index run_words_found on run_words using gin (words);
-- The order of the lists, for words that many runs have. As with marks, the time narrows nothing beyond the id.
create index run_words_newest on run_words (account_id, created_at desc, run_id desc);
alter table run_words alter column created_at set (n_distinct = 1);
-- How rare a word is decides which index leads, so more words than usual are counted.
alter table run_words alter column words set statistics 1000;
create index run_words_due on run_words (run_id) where words is null;

-- Walks over runs that ended before this table was there, in the order of their ids. Runs that a process of the
-- version before ends during an upgrade are not noted, so a second walk follows an hour later.
create table run_word_walks (
  account_id text collate "C" not null,
  due_at timestamptz(3) not null,
  walked_to text collate "C" not null default '',
  primary key (account_id, due_at)
);
insert into run_word_walks (account_id, due_at)
select id, now() + pause from accounts
cross join (values (interval '0'), (interval '1 hour')) as walk (pause);
