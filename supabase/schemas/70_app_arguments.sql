-- Validation of arguments in schema app: one rule for each name of an argument, the same in every verb.

create function crm.parse_moment(p_text text) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare
  v_at timestamptz;
begin
  -- Check the form first, because Postgres also accepts texts such as 'tomorrow', and dates whose order of day and
  -- month depends on a setting.
  if p_text !~ '^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$' then return null; end if;
  v_at := p_text::timestamptz;
  return case when v_at >= '0001-01-01T00:00:00Z' and v_at < '9999-12-31T23:59:59.9995Z' then v_at end;
exception
  when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
    return null;
end
$$;
comment on function crm.parse_moment(text) is
  'Parses an ISO 8601 date and time with an offset, such as 2027-01-31T12:00:00Z. Null for any other form, for a date '
  'that does not exist, and for a time outside the years 1 to 9999.';

create function crm.parse_argument(p_rule text, p_field text, p_value jsonb, out value jsonb, out errors jsonb)
language plpgsql stable set search_path = '' as $$
declare
  -- The vertical tab is written as x0b, because Postgres before 16 reads its escape as the letter v.
  v_text text := case jsonb_typeof(p_value)
    when 'string' then btrim(p_value #>> '{}', e' \t\n\x0b\f\r\u00a0\u2028\u2029\u3000\ufeff')
  end;
  v_number numeric := case jsonb_typeof(p_value) when 'number' then p_value::numeric end;
  v_least integer;
  v_most integer;
  v_choices text[];
  v_valid boolean;
  v_message text;
  v_network record;
begin
  value := coalesce(to_jsonb(v_text), p_value);
  errors := '[]';
  case p_rule
    when 'workspace_id', 'id', 'new_id', 'member_id', 'deal_id', 'pipeline_id', 'subscription_id', 'client_id',
      'object_id', 'cursor'
    then
      value := to_jsonb(lower(v_text));
      v_valid := v_text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
      v_message := 'Deve ser um UUID';
    when 'object' then
      v_valid := v_text in (
        'member', 'key', 'pipeline', 'stage', 'loss_reason', 'deal', 'proposal', 'subscription', 'delivery'
      );
      v_message := 'Deve ser um tipo de registro conhecido';
    when 'name', 'title', 'member_name', 'client_name', 'path', 'type', 'key', 'q', 'label' then
      v_most := case p_rule when 'type' then 40 when 'key' then 60 when 'q' then 100 when 'label' then 120 else 255 end;
      v_valid := char_length(v_text) between 1 and v_most;
      v_message := format('Deve ter de 1 a %s caracteres', v_most);
    when 'email', 'member_email' then
      value := to_jsonb(lower(v_text));
      -- The pattern of the API, so that the API and the application accept the same addresses.
      v_valid := char_length(v_text) <= 254 and v_text ~ (
        '^(?=.{1,64}@)[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*'
        '@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$'
      );
      v_message := 'Deve ser um e-mail válido';
    when 'role', 'object_type', 'payload', 'state' then
      v_choices := case p_rule
        when 'role' then '{admin, gestor, vendedor}'
        when 'object_type' then '{company, contact, deal}'
        when 'payload' then '{full, ids}'
        when 'state' then '{pending, held, delivered, failed, cancelled}'
      end;
      v_valid := v_text = any (v_choices);
      v_message := 'Deve ser um de ' || crm.quoted_choices(v_choices);
    when 'suspended', 'public_api', 'is_active', 'is_default', 'keep_webhooks', 'refuses_undefined_fields',
      'before_creation', 'dry_run', 'atomic'
    then
      v_valid := jsonb_typeof(p_value) = 'boolean';
      v_message := 'Deve ser true ou false';
    when 'rate_limit_per_minute', 'stale_after_days', 'limit', 'overlap_seconds' then
      v_least := case p_rule when 'overlap_seconds' then 0 else 1 end;
      v_most := case p_rule
        when 'rate_limit_per_minute' then 1000000 when 'stale_after_days' then 3650 when 'limit' then 200
        when 'overlap_seconds' then 604800
      end;
      v_valid := v_number between v_least and v_most and v_number = trunc(v_number);
      v_message := format('Deve ser um número inteiro de %s a %s', v_least, v_most);
    when 'time_zone' then
      -- Refuse names that Postgres knows and Deno does not, such as posix/UTC or localtime.
      v_valid := v_text ~ '^(UTC|[A-Z][A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$'
        and exists (select from pg_catalog.pg_timezone_names z where z.name = v_text);
      v_message := 'Deve ser um fuso horário da IANA, como America/Sao_Paulo';
    when 'status' then
      v_valid := v_text ~ '^[1-5](\d\d|xx)$';
      v_message := 'Deve ser um status HTTP, como 422, ou uma classe, como 4xx';
    when 'code' then
      v_valid := v_text ~ '^[a-z_]{1,60}$';
      v_message := 'Deve ser um código de erro, como validation_error';
    when 'webhook_name' then
      -- An empty text removes the name.
      v_valid := char_length(v_text) <= 80;
      v_message := 'Deve ter até 80 caracteres';
    when 'ids' then
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) between 1 and 100
        and not p_value @? '$[*] ? (!(@ like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" flag "i"))';
      v_message := 'Deve ser uma lista de 1 a 100 UUIDs';
    when 'items' then
      -- Checks only the number of items: the edge function has validated each item (_shared/http/batch_items.ts).
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) between 1 and 100;
      v_message := 'Deve ser uma lista de 1 a 100 itens';
    when 'choices' then
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) between 1 and 100;
      v_message := 'Deve ser uma lista de 1 a 100 textos';
    when 'value', 'recurring_value' then
      v_valid := v_number between 0 and 1e15;
      v_message := 'Deve ser um número de 0 a 1000000000000000';
    when 'expires_at', 'since', 'until' then
      v_valid := crm.parse_moment(v_text) is not null;
      v_message := 'Deve ser uma data e hora ISO 8601 com fuso, por exemplo 2027-01-31T12:00:00Z';
    when 'prefix' then
      v_valid := v_text ~ '^svc_[0-9A-Za-z]{8}$';
      v_message := 'Deve ser o começo de uma chave, com 12 caracteres';
    when 'hash', 'token_hash' then
      v_valid := v_text ~ '^[0-9a-f]{64}$';
      v_message := 'Deve ser um SHA-256 em hexadecimal';
    when 'secret', 'encrypted_header' then
      v_valid := v_text ~ '^([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';
      v_message := 'Deve estar em base64';
    when 'filters', 'header' then
      -- Checks only the type: the caller checks the contents (api-v1-webhooks/filters.ts, own_header.ts).
      v_valid := jsonb_typeof(p_value) = 'object';
      v_message := 'Deve ser um objeto';
    when 'target_url' then
      -- Checks only the length: the caller checks that the URL is https and public (_shared/webhooks/target.ts).
      value := p_value;
      v_valid := char_length(p_value #>> '{}') between 1 and 2048 and jsonb_typeof(p_value) = 'string';
      v_message := 'Deve ter de 1 a 2048 caracteres';
    when 'event', 'event_type' then
      v_valid := v_text = any (enum_range(null::crm.event_type)::text[]);
      v_message := 'Deve ser um evento do catálogo';
    when 'event_types' then
      v_valid := jsonb_typeof(p_value) = 'array' and p_value <> '[]'
        and p_value <@ to_jsonb(enum_range(null::crm.event_type));
      v_message := 'Deve ser uma lista de eventos do catálogo, com pelo menos um';
    when 'allowed_network' then
      select n.network, n.is_exact into v_network from crm.parse_network(v_text) n;
      value := to_jsonb(v_network.network::text);
      v_valid := v_network.is_exact;
      v_message := case
        when v_network.network is null then 'Deve ser um endereço ou uma rede, como 203.0.113.7 ou 203.0.113.0/24'
        else format('A rede deste endereço se escreve %s', v_network.network)
      end;
    when 'allowed_networks' then
      v_valid := jsonb_typeof(p_value) = 'array' and jsonb_array_length(p_value) <= 20;
      v_message := 'Deve ser uma lista com no máximo 20 redes';
      if v_valid then
        select coalesce(jsonb_agg(distinct n.value), '[]'), coalesce(jsonb_agg(n.errors order by e.n), '[]')
        into value, errors
        from jsonb_array_elements(p_value) with ordinality e (value, n)
        cross join lateral crm.parse_argument('allowed_network', p_field || '.' || e.n - 1, e.value) n;
        errors := jsonb_path_query_array(errors, '$[*][*]');
      end if;
    when 'scope' then
      v_valid := v_text ~ '^[a-z][a-z0-9_-]{0,59}:(read|write|manage)$';
      v_message := 'Deve ter a forma <recurso>:read, <recurso>:write ou <recurso>:manage';
    when 'scopes' then
      v_valid := jsonb_typeof(p_value) = 'array' and p_value <> '[]';
      v_message := 'Deve ser uma lista com pelo menos um escopo';
      if v_valid then
        select jsonb_agg(distinct_scope.value order by distinct_scope.n) into value
        from (
          select e.value, min(e.n) as n from jsonb_array_elements(p_value) with ordinality e (value, n) group by e.value
        ) distinct_scope;
        errors := coalesce((
          select jsonb_agg(f.error order by e.n)
          from jsonb_array_elements(p_value) with ordinality e (value, n)
          cross join lateral crm.parse_argument('scope', p_field || '.' || e.n - 1, e.value) s
          cross join lateral jsonb_array_elements(s.errors) f (error)
        ), '[]');
      end if;
    when 'stages' then
      v_valid := jsonb_typeof(p_value) = 'array' and not p_value @? '$[*] ? (@.type() != "object")';
      v_message := 'Deve ser uma lista de etapas, cada uma com name e type';
      if v_valid then
        select
          coalesce(jsonb_agg(jsonb_build_object('name', n.value, 'type', t.value) order by e.n), '[]'),
          coalesce(jsonb_agg(n.errors || t.errors order by e.n), '[]')
        into value, errors
        from jsonb_array_elements(p_value) with ordinality e (value, n)
        cross join lateral crm.parse_argument('name', p_field || '.' || e.n - 1 || '.name', e.value -> 'name') n
        cross join lateral crm.parse_argument('type', p_field || '.' || e.n - 1 || '.type', e.value -> 'type') t;
        errors := jsonb_path_query_array(errors, '$[*][*]');
      end if;
  end case;
  if v_valid is not true then
    errors := jsonb_build_array(jsonb_build_object('field', p_field, 'message', v_message));
  end if;
end
$$;
comment on function crm.parse_argument(text, text, jsonb) is
  'Validates one argument of a verb of schema app by the rule for its name. `value` is normalized (trimmed, ids and '
  'e-mails in lower case, each scope once). `errors` lists the invalid fields with their Portuguese messages. p_field '
  'is the name of the field in an error, such as stages.0.type.';

create function crm.check_args(p_args jsonb, p_required text[], p_optional text[] default '{}') returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_field text;
  v_value jsonb;
  v_parsed record;
  v_args jsonb := '{}';
  v_errors jsonb := '[]';
begin
  for v_field, v_value in select * from jsonb_each(p_args) loop
    if v_field <> all (p_required || p_optional) then
      -- Refuse the name, because a caller who misspelled a name would believe that the field was changed.
      v_errors := v_errors || jsonb_build_object('field', v_field, 'message', 'Campo desconhecido');
    elsif v_value <> 'null' then
      v_parsed := crm.parse_argument(v_field, v_field, v_value);
      v_args := jsonb_set(v_args, array[v_field], v_parsed.value);
      v_errors := v_errors || v_parsed.errors;
    end if;
  end loop;
  foreach v_field in array p_required loop
    if not v_args ? v_field then
      v_errors := v_errors || jsonb_build_object('field', v_field, 'message', 'Campo obrigatório');
    end if;
  end loop;
  if v_errors <> '[]' then
    raise exception using errcode = 'CRM00', message = 'validation_error', detail = v_errors::text;
  end if;
  return v_args;
end
$$;
comment on function crm.check_args(jsonb, text[], text[]) is
  'Validates and normalizes the arguments of a verb of schema app; null means absent. Raises validation_error with '
  'every field that is missing, unknown or invalid.';
