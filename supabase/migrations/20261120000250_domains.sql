-- Rules about one value. They are domains and not checks of tables, because Postgres parses the checks of a table at every
-- insert, and keeps those of a domain.

create domain crm.record_name as text check (char_length(value) between 1 and 255);
comment on domain crm.record_name is 'The name or the title of a record: 1 to 255 characters.';

create domain crm.external_id as text check (char_length(value) between 1 and 255);
comment on domain crm.external_id is 'The caller''s own id of a record: 1 to 255 characters.';

create domain crm.email as text check (value = lower(value));
comment on domain crm.email is 'An e-mail address by which people are found: in lower case.';

create domain crm.amount as numeric check (value >= 0);
comment on domain crm.amount is 'An amount of money: not negative.';

create domain crm.deal_status as text check (value in ('aberto', 'ganho', 'perdido'));
comment on domain crm.deal_status is 'Whether a deal is open, won or lost.';

create domain crm.quantity as integer check (value >= 0);
comment on domain crm.quantity is 'How many there are: not negative.';
