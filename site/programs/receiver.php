<?php
// receiver.php: CRM_WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8000 receiver.php
const TOLERANCE_S = 300;

function is_genuine(string $raw, string $timestamp, array $signatures, array $secrets): bool
{
    if (!preg_match('/^[0-9]{1,12}\z/', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_S) {
        return false;
    }
    foreach ($secrets as $secret) {
        $expected = 'sha256=' . hash_hmac('sha256', $timestamp . '.' . $raw, $secret);
        foreach ($signatures as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
    }
    return false;
}

$secrets = array_filter([getenv('CRM_WEBHOOK_SECRET'), getenv('CRM_WEBHOOK_SECRET_NEXT')]);
if (!$secrets) {
    http_response_code(500);
    exit;
}
$raw = file_get_contents('php://input');
$timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
$signatures = [$_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', $_SERVER['HTTP_X_SERVICE_SIGNATURE_NEXT'] ?? ''];
if (!is_genuine($raw, $timestamp, $signatures, $secrets)) {
    http_response_code(401);
    exit;
}
$delivery = json_decode($raw, true);
error_log($delivery['delivery_id'] . ' ' . $delivery['event']);
http_response_code(204);
