-- Readable from 0012
-- A hash of what a reader sees of a message, to tell another message with the same Message-ID; null for older ones.
alter table muster.mailbox_messages add column content_hash text;
