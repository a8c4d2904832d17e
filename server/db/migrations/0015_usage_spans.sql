-- Readable from 0012
-- Usage of 16 days in one sum, so that a question about a year reads few rows.

-- Sums of spans stand among those of days, with a dimension such as `workflow 16`, the first day of the span
-- in `day`, and true here; so do their durations. Of a day: whether its span has it. Of the dimension `day`,
-- whose values are days, there are no spans.
alter table usage_days add column is_spanned boolean not null default false;
create index usage_days_to_span on usage_days (account_id, day)
  where not is_spanned and dimension <> 'day';
