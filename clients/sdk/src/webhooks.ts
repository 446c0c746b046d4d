import type { CallOptions, ReadAgainOptions, ReadOptions } from "./http.ts";
import { List } from "./list.ts";
import type { WebhooksDeliveriesQuery } from "./operations.ts";
import { Resource } from "./resource.ts";
import type * as T from "./types.ts";

/** Subscriptions to events, delivered over HTTP and signed. Each method has the scope `webhooks:manage`. */
export class Webhooks extends Resource {
  /** Lists the subscriptions, the newest first. */
  list(options?: CallOptions): List<T.Subscription, T.SubscriptionList> {
    return new List(() => this.http.call("webhooks.list", { options }));
  }

  /** Reads a subscription, with the outcomes of its deliveries in seven days. */
  get(id: string, options?: ReadOptions): Promise<T.SubscriptionDetail>;
  /** Reads it again; null if it has not changed. */
  get(id: string, options: ReadAgainOptions): Promise<T.SubscriptionDetail | null>;
  get(id: string, options?: ReadOptions | ReadAgainOptions): Promise<T.SubscriptionDetail | null> {
    return this.http.call("webhooks.get", { path: { id }, options });
  }

  /** Subscribes an address to events. This reply alone has the `secret`. It is not repeated without an answer. */
  create(subscription: T.NewSubscription, options?: CallOptions): Promise<T.CreatedSubscription> {
    return this.http.call("webhooks.create", { body: subscription, options });
  }

  /** Ends a subscription; what was waiting is cancelled. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call("webhooks.delete", { path: { id }, options });
  }

  /** Lists the deliveries of a subscription, the newest event first. */
  deliveries(
    id: string,
    query?: WebhooksDeliveriesQuery,
    options?: CallOptions,
  ): List<T.Delivery, T.DeliveryPage> {
    return new List(
      (at) => this.http.call("webhooks.deliveries", { path: { id }, query: { ...query, ...at }, options }),
      query,
    );
  }

  /** Reads a delivery: its attempts, and what an attempt would send now. */
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<T.DeliveryDetail> {
    return this.http.call("webhooks.delivery", { path: { id, delivery_id: deliveryId }, options });
  }

  /** Sends one delivery again, under its id. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<T.Redelivery> {
    return this.http.call("webhooks.redeliver", { path: { id, delivery_id: deliveryId }, options });
  }

  /** Sends a test event, which has `test: true` and data that is made up. */
  test(id: string, test?: T.TestOptions, options?: CallOptions): Promise<T.TestSent> {
    return this.http.call("webhooks.test", { path: { id }, body: test, options });
  }

  /** Makes a subscription active again, and sends what waited. */
  reactivate(id: string, options?: CallOptions): Promise<T.ReactivatedSubscription> {
    return this.http.call("webhooks.reactivate", { path: { id }, options });
  }

  /** Sends what the subscription never got of the events of a time. */
  recover(id: string, window: T.RecoveryWindow, options?: CallOptions): Promise<T.Recovery> {
    return this.http.call("webhooks.recover", { path: { id }, body: window, options });
  }

  /** Replaces the secret, and returns the new one, once. It is not repeated without an answer. */
  rotateSecret(
    id: string,
    rotation: T.SecretRotation,
    options?: CallOptions,
  ): Promise<T.RotatedSubscription> {
    return this.http.call("webhooks.rotate_secret", { path: { id }, body: rotation, options });
  }
}
