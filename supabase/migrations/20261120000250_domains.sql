-- What a value must be to be stored, where several tables say the same. A rule about one value is a domain and not a
-- check of the table, because Postgres parses the checks of a table at every insert, and keeps those of a domain. The
-- rules of one table into which requests insert are domains too, next to it.

create domain crm.record_name as text check (char_length(value) between 1 and 255);
comment on domain crm.record_name is 'The name or the title of a record: 1 to 255 characters.';

create domain crm.external_id as text check (char_length(value) between 1 and 255);
comment on domain crm.external_id is 'The caller''s own id of a record: 1 to 255 characters.';

create domain crm.amount as numeric check (value >= 0);
comment on domain crm.amount is 'An amount of money: not negative.';

create domain crm.quantity as integer check (value >= 0);
comment on domain crm.quantity is 'How many there are, or how long it takes: not negative.';
