-- Readable from 0012
-- At its cap a budget may ask a person. Processes of the version before hold such runs.
alter table budgets drop constraint budgets_on_cap_check;
alter table budgets add constraint budgets_on_cap_check check (on_cap in ('hold', 'ask', 'refuse', 'fallback'));
