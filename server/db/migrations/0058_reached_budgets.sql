-- Readable from 0012
-- The cap at which a budget had no room for a call, apart from calls in progress: the budget counts as reached until
-- its window ends or its cap is raised above this.
alter table budget_windows add column reached_cap_usd numeric;
