-- Domains: rules about a value that several tables share. A rule about one value is a domain and not a table check,
-- because Postgres parses table checks at every insert and caches those of a domain. For the same reason, a rule for a
-- single table is a domain too if requests insert into that table.

create domain crm.record_name as text check (char_length(value) between 1 and 255);
comment on domain crm.record_name is 'The name or title of a record: 1 to 255 characters.';

create domain crm.external_id as text check (char_length(value) between 1 and 255);
comment on domain crm.external_id is 'The caller''s own id for a record: 1 to 255 characters.';

create domain crm.amount as numeric check (value >= 0);
comment on domain crm.amount is 'An amount of money: not negative.';

create domain crm.quantity as integer check (value >= 0);
comment on domain crm.quantity is 'A count or a duration: not negative.';
