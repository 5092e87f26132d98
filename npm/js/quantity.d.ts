/**
 * Converts a quantity such as `500m` or `16Gi` to a number: 0.5 or 17179869184.
 *
 * @param amount the quantity, as Kubernetes writes it
 * @throws {ChangeoverError} `InvalidQuantity`
 * @group Objects
 */
export declare function quantity(amount: string | number): number;
